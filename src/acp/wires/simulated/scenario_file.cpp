#include "ayatori/simulated/scenario_file.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <utility>

#include "ayatori/base/duration.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/toml.hpp"

namespace ayatori::simulated {

namespace {

/// Stores a value in its field; false if it is not what the field takes.
template <typename Target>
using Setter = bool (*)(Target&, const toml::node&);

template <typename Target>
struct Key {
  std::string_view name;
  std::string_view expected;
  Setter<Target> set;
};

template <auto field, std::int64_t least, typename Target>
bool set_count(Target& target, const toml::node& node) {
  const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
  using Field = std::remove_reference_t<decltype(target.*field)>;
  if (!value || *value < least || !std::in_range<Field>(*value)) return false;
  target.*field = static_cast<Field>(*value);
  return true;
}

template <auto field>
bool set_retries(Scenario& scenario, const toml::node& node) {
  return set_count<field, 0>(scenario, node) && scenario.*field <= max_retries;
}

template <auto field>
bool set_probability(Scenario& scenario, const toml::node& node) {
  const auto value = node.value<double>();
  if (!value || !(*value >= 0 && *value <= 1)) return false;
  scenario.*field = *value;
  return true;
}

template <auto field>
bool set_rate(Scenario& scenario, const toml::node& node) {
  const auto value = node.value<double>();
  if (!value || !is_link_rate(*value)) return false;
  scenario.*field = *value;
  return true;
}

template <auto field, typename Target>
bool set_time(Target& target, const toml::node& node) {
  const auto text = node.value<std::string_view>();
  const auto value = text ? parse_duration(*text) : std::nullopt;
  if (!value) return false;
  target.*field = std::remove_reference_t<decltype(target.*field)>(*value);
  return true;
}

constexpr std::string_view count_from_0 = "a whole number from 0";
constexpr std::string_view count_from_1 = "a whole number from 1, less than 4294967296";
constexpr std::string_view retries = "a whole number from 0 to 7";
constexpr std::string_view probability = "a probability, 0 to 1";
constexpr std::string_view link_rate = "0 (without limit), or a number from 1e-6 to 1e6";
constexpr std::string_view duration = R"(a duration, for example "2us")";

constexpr std::array<Key<Scenario>, 20> scenario_keys{{
    {"seed", count_from_0, set_count<&Scenario::seed, 0>},
    {"latency", duration, set_time<&Scenario::latency>},
    {"jitter", duration, set_time<&Scenario::jitter>},
    {"drop", probability, set_probability<&Scenario::drop>},
    {"duplicate", probability, set_probability<&Scenario::duplicate>},
    {"reorder", probability, set_probability<&Scenario::reorder>},
    {"reorder_delay", duration, set_time<&Scenario::reorder_delay>},
    {"gigabytes_per_second", link_rate, set_rate<&Scenario::gigabytes_per_second>},
    {"receive_buffers", count_from_1, set_count<&Scenario::receive_buffers, 1>},
    {"control_buffers", count_from_1, set_count<&Scenario::control_buffers, 1>},
    {"receive_cost", duration, set_time<&Scenario::receive_cost>},
    {"send_cost", duration, set_time<&Scenario::send_cost>},
    {"copy_gigabytes_per_second", link_rate, set_rate<&Scenario::copy_gigabytes_per_second>},
    {"adapter_cost", duration, set_time<&Scenario::adapter_cost>},
    {"fabric_bytes", count_from_0, set_count<&Scenario::fabric_bytes, 0>},
    {"cached_buffers", count_from_0, set_count<&Scenario::cached_buffers, 0>},
    {"cold_buffer_cost", duration, set_time<&Scenario::cold_buffer_cost>},
    {"rnr_retry", retries, set_retries<&Scenario::rnr_retry>},
    {"retry_count", retries, set_retries<&Scenario::retry_count>},
    {"retry_timeout", duration, set_time<&Scenario::retry_timeout>},
}};

constexpr std::array<Key<BlackHole>, 3> black_hole_keys{{
    {"peer", "a rank", set_count<&BlackHole::peer, 0>},
    {"from", duration, set_time<&BlackHole::from>},
    {"until", duration, set_time<&BlackHole::until>},
}};

Failure wrong_value(std::string_view file, std::string_view key, std::string_view expected, const toml::node& node) {
  return fail_at(file, line_of(node), fmt::format("{}: expected {}", key, expected));
}

template <typename Keys>
Failure unknown_key(std::string_view file, const toml::key& key, const Keys& keys, std::string_view others) {
  std::string names(others);
  for (const auto& known : keys) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return with_hint(fail_at(file, line_of(key.source()), fmt::format("unknown key '{}'", key.str())),
                   fmt::format("known are {}", names));
}

template <typename Target, std::size_t count>
const Key<Target>* find(const std::array<Key<Target>, count>& keys, const toml::key& key) {
  const auto found = std::ranges::find(keys, key.str(), &Key<Target>::name);
  return found == keys.end() ? nullptr : &*found;
}

Result<BlackHole> read_black_hole(const toml::node& node, std::string_view file) {
  const toml::table* table = node.as_table();
  if (!table) return wrong_value(file, "black_holes", "a table with peer, from and until", node);
  if (!table->contains("peer")) return wrong_value(file, "black_holes", "a table with the key peer", node);
  BlackHole hole;
  for (const auto& [key, value] : *table) {
    const auto* known = find(black_hole_keys, key);
    if (!known) return unknown_key(file, key, black_hole_keys, "");
    if (!known->set(hole, value)) return wrong_value(file, known->name, known->expected, value);
  }
  if (hole.until <= hole.from) return wrong_value(file, "until", "a time after from", node);
  return hole;
}

Result<> read_black_holes(const toml::node& node, std::string_view file, Scenario& scenario) {
  const toml::array* array = node.as_array();
  if (!array) return wrong_value(file, "black_holes", "an array of tables, each under [[black_holes]]", node);
  for (const toml::node& element : *array) {
    auto hole = read_black_hole(element, file);
    if (!hole) return Failure(hole.error());
    scenario.black_holes.push_back(*hole);
  }
  return {};
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const auto nanoseconds = parse_nanoseconds(text);
  return nanoseconds ? std::optional(Duration(*nanoseconds)) : std::nullopt;
}

Result<Scenario> parse_scenario(std::string_view text, std::string_view file) {
  const auto table = parse_toml(text, file);
  if (!table) return Failure(table.error());
  Scenario scenario;
  for (const auto& [key, value] : *table) {
    if (key == "black_holes") {
      if (auto good = read_black_holes(value, file, scenario); !good) return Failure(good.error());
      continue;
    }
    const auto* known = find(scenario_keys, key);
    if (!known) return unknown_key(file, key, scenario_keys, "black_holes");
    if (!known->set(scenario, value)) return wrong_value(file, known->name, known->expected, value);
  }
  return scenario;
}

Result<Scenario> load_scenario(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_scenario(*text, path.string());
}

}  // namespace ayatori::simulated
