#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/sources/host_environment.hpp"
#include "ayatori/tofu/tofu.hpp"

namespace ayatori {

namespace {

namespace fs = std::filesystem;

/// The variable's value; empty where it is not set.
std::string_view variable(const HostEnvironment& environment, const char* name) {
  const char* value = environment.variable == nullptr ? nullptr : environment.variable(name);
  return value == nullptr ? std::string_view() : value;
}

std::string tofu_source(const HostEnvironment& environment) {
  const std::string job = environment.variable == nullptr ? "" : tofu_job(environment.variable);
  return job.empty() ? "" : "tofu:" + job;
}

/// The variable that is set, of several that launchers set.
struct Found {
  const char* name = nullptr;
  std::string_view value;
};

Found first_set(const HostEnvironment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto value = variable(environment, name); !value.empty()) return {name, value};
  }
  return {};
}

/// The entries of a folder, sorted by name; none if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

bool has_word(const fs::path& file, std::string_view word) {
  const auto text = read_file(file);
  return text && text->find(word) != std::string::npos;
}

/// "4: ACTIVE" (Documentation/ABI/stable/sysfs-class-infiniband). RoCE adapters are listed there, too; their link layer
/// is Ethernet.
bool has_active_port(const fs::path& infiniband_folder) {
  for (const fs::path& device : entries_of(infiniband_folder)) {
    for (const fs::path& port : entries_of(device / "ports")) {
      if (has_word(port / "state", "ACTIVE") && has_word(port / "link_layer", "InfiniBand")) return true;
    }
  }
  return false;
}

/// Slurm itself looks for topology.yaml first.
std::string slurm_source(const HostEnvironment& environment) {
  const std::string_view conf = variable(environment, "SLURM_CONF");
  std::vector<fs::path> folders;
  if (!conf.empty()) folders.push_back(fs::path(conf).parent_path());
  folders.emplace_back(environment.slurm_folder);
  for (const fs::path& folder : folders) {
    for (const char* name : {"topology.yaml", "topology.conf"}) {
      std::error_code error;
      if (fs::is_regular_file(folder / name, error)) return "slurm:" + (folder / name).string();
    }
  }
  return "";
}

/// The hosts of a file that has one line per process, each once.
Result<std::vector<std::string>> hosts_in_file(const char* name, std::string_view path) {
  const auto text = read_file(path);
  if (!text) return with_cause(Failure(text.error()), fmt::format("the variable {} names this file", name));
  const auto entries = parse_hostfile(*text, path);
  if (!entries) return Failure(entries.error());
  std::vector<std::string> hosts;
  std::unordered_set<std::string_view> known;
  for (const HostEntry& entry : *entries) {
    if (known.insert(entry.host).second) hosts.push_back(entry.host);
  }
  return hosts;
}

}  // namespace

std::string automatic_source(const HostEnvironment& environment) {
  if (auto tofu = tofu_source(environment); !tofu.empty()) return tofu;
  if (has_active_port(environment.infiniband_folder)) return "ib:live";
  return slurm_source(environment);
}

Result<std::string> resolve_source(std::string_view source, const HostEnvironment& environment) {
  constexpr std::string_view job = "tofu:job";
  const std::string_view options = source.substr(std::min(job.size(), source.size()));
  if (!source.starts_with(job) || (!options.empty() && !options.starts_with(','))) return std::string(source);
  const std::string found = tofu_source(environment);
  if (!found.empty()) return found + std::string(options);
  return with_hint(fail("'{}' needs a job with a node shape: PJM_NODE_X is not set", source), "tofu:job=4x6x16");
}

Result<std::optional<std::uint64_t>> tofu_job_point(std::span<const std::uint32_t> shape,
                                                    const HostEnvironment& environment) {
  if (tofu_source(environment) != fmt::format("tofu:job={}", fmt::join(shape, "x"))) return std::nullopt;
  const Found rank = first_set(environment, {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"});
  if (rank.name == nullptr) return std::nullopt;
  const Found ranks_each = first_set(environment, {"PJM_PROC_BY_NODE"});
  const auto number = parse_unsigned<std::uint32_t>(rank.value);
  const auto each = parse_unsigned<std::uint32_t>(ranks_each.name == nullptr ? "1" : ranks_each.value);
  if (!each || *each == 0) return fail("PJM_PROC_BY_NODE={} is no number of processes", ranks_each.value);
  if (!number) return fail("{}={} is not a rank", rank.name, rank.value);
  std::uint64_t nodes = 1;
  std::uint64_t left = *number / *each;
  std::uint64_t point = 0;
  std::uint64_t stride = std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
  for (const std::uint32_t length : shape) {  // X is the first axis, and the last one to change in a point's number
    nodes *= length;
    stride /= length;
    point += left % length * stride;
    left /= length;
  }
  if (left > 0) return fail("{}={}: the job has {} nodes with {} processes each", rank.name, rank.value, nodes, *each);
  return point;
}

Result<std::vector<std::string>> job_hosts(const HostEnvironment& environment) {
  const std::string_view list = variable(environment, "SLURM_JOB_NODELIST");
  if (!list.empty()) {
    auto hosts = expand_hostlist(list);
    if (!hosts) return fail("SLURM_JOB_NODELIST: {}", hosts.error().message);
    return hosts;
  }
  for (const char* name : {"PBS_NODEFILE", "PJM_O_NODEINF"}) {
    const std::string_view path = variable(environment, name);
    if (!path.empty()) return hosts_in_file(name, path);
  }
  return std::vector<std::string>();
}

}  // namespace ayatori
