#include "surroundings.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "ayatori/sources/host_environment.hpp"

namespace ayatori::capi {

namespace {

const HostEnvironment surroundings{.variable = [](const char* name) -> const char* { return std::getenv(name); }};

}  // namespace

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

Result<FoundSource> source_from_surroundings() {
  if (auto named = variable("NWTOPO_SOURCE")) return FoundSource{std::move(*named), false};
  std::string found = automatic_source(surroundings);
  if (!found.empty()) return FoundSource{std::move(found), true};
  return with_code(with_hint(fail("no source of a topology was named, and none was found here"),
                             "call nwtopo_topology_set_source() or set NWTOPO_SOURCE"),
                   ENODATA);
}

Result<std::string> resolve_here(std::string_view source) { return resolve_source(source, surroundings); }

Result<std::vector<std::string>> hosts_of_this_job() { return job_hosts(surroundings); }

Result<std::optional<std::uint64_t>> point_in_job(std::span<const std::uint32_t> shape) {
  return tofu_job_point(shape, surroundings);
}

std::string this_host() {
  std::array<char, 257> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace ayatori::capi
