#include "ayatori/joining/variables.hpp"

#include <fmt/ranges.h>

#include <cstdlib>

namespace ayatori::acp {

namespace {

constexpr double max_seconds = 1e9;

}  // namespace

std::optional<std::string_view> value_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? std::optional<std::string_view>(text) : std::nullopt;
}

Result<std::size_t> choice(const char* variable, std::initializer_list<std::string_view> names) {
  const auto text = value_of(variable);
  if (!text) return 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (*text == names.begin()[i]) return i;
  }
  return fail("{} is '{}'; it must be {}", variable, *text, fmt::join(names, ", "));
}

Result<std::unique_ptr<launch::Launcher>> read_launcher() {
  return launch::find_launcher([](const char* name) { return std::getenv(name); }, random_secret);
}

Result<> read_job_setup(JobSetup& setup) {
  if (auto chosen = choose_wires(setup, value_of("ACP_WIRES").value_or("auto")); !chosen) return chosen;
  const auto timeout = positive<double>("ACP_TIMEOUT", 30.0);
  if (!timeout) return Failure(timeout.error());
  if (*timeout > max_seconds) return fail("ACP_TIMEOUT is {}; it must be at most {}", *timeout, max_seconds);
  const auto tags = choice("ACP_TAGS", {"on", "off"});
  if (!tags) return Failure(tags.error());
  setup.give_up_after = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*timeout));
  setup.tags = *tags == 0;
  setup.networks = value_of("ACP_NETWORK").value_or("");
  return {};
}

}  // namespace ayatori::acp
