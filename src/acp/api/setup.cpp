#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "ayatori/base/text.hpp"
#include "configuration.hpp"
#include "library.hpp"

namespace ayatori::acp {

namespace {

constexpr double max_seconds = 1e9;
constexpr std::uint32_t max_connections = 4096;

/// The index in `names` of the value of a variable; 0 if it is not set.
Result<std::size_t> choice(const char* variable, std::initializer_list<std::string_view> names) {
  const char* text = std::getenv(variable);
  if (!text) return 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names.begin()[i]) return i;
  }
  return fail("{} is '{}'; it must be {}", variable, text, fmt::join(names, ", "));
}

/// ACP_CONNECTIONS: a number, also 0.
Result<std::uint32_t> connections(std::uint32_t otherwise) {
  const char* const text = std::getenv("ACP_CONNECTIONS");
  if (!text) return otherwise;
  const auto value = parse_unsigned<std::uint32_t>(text);
  if (value && *value <= max_connections) return *value;
  return fail("ACP_CONNECTIONS is '{}'; it must be a number from 0 to {}", text, max_connections);
}

template <typename Number>
Result<Number> positive(const char* variable, Number otherwise) {
  const char* text = std::getenv(variable);
  if (!text) return otherwise;
  const std::string_view digits = text;
  Number value = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (bad == std::errc{} && end == digits.data() + digits.size() && value > 0) return value;
  return fail("{} is '{}'; it must be a number above 0", variable, text);
}

}  // namespace

Result<std::unique_ptr<launch::Launcher>> read_launcher() {
  return launch::find_launcher([](const char* name) { return std::getenv(name); }, random_secret);
}

Result<Setup> read_setup() {
  Setup setup;
  const char* const wires = std::getenv("ACP_WIRES");
  if (auto chosen = choose_wires(setup, wires ? wires : "auto"); !chosen) return Failure(chosen.error());
  const auto progress = choice("ACP_PROGRESS", {"thread", "poll"});
  if (!progress) return Failure(progress.error());
  const auto atomics = choice("ACP_ATOMICS", {"auto", "adapter"});
  if (!atomics) return Failure(atomics.error());
  const auto reliable = connections(setup.connections);
  if (!reliable) return Failure(reliable.error());
  const auto starter = positive<Bytes>("ACP_STARTER_BYTES", setup.starter_bytes);
  if (!starter) return Failure(starter.error());
  const auto timeout = positive<double>("ACP_TIMEOUT", 30.0);
  if (!timeout) return Failure(timeout.error());
  if (*timeout > max_seconds) return fail("ACP_TIMEOUT is {}; it must be at most {}", *timeout, max_seconds);
  const auto tags = choice("ACP_TAGS", {"on", "off"});
  if (!tags) return Failure(tags.error());
  setup.progress_thread = *progress == 0;
  setup.adapter_atomics = *atomics == 1;
  setup.connections = *reliable;
  setup.starter_bytes = *starter;
  setup.give_up_after = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*timeout));
  setup.tags = *tags == 0;
  if (const char* const networks = std::getenv("ACP_NETWORK")) setup.networks = networks;
  return setup;
}

}  // namespace ayatori::acp
