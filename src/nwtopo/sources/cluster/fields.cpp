#include "fields.hpp"

#include <arpa/inet.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ayatori/base/duration.hpp"
#include "ayatori/network/job.hpp"

namespace ayatori::cluster {

namespace {

constexpr std::int64_t max_cables = 1024;

bool is_address(const std::string& text) {
  constexpr unsigned longest = 32;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return false;
  in_addr address{};
  if (inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) != 1) return false;
  unsigned length = 0;
  const auto [end, error] = std::from_chars(text.data() + slash + 1, text.data() + text.size(), length);
  return error == std::errc{} && end == text.data() + text.size() && length <= longest;
}

struct Generation {
  std::string_view name;
  std::uint32_t megabits;  // after line coding
};

/// Baud of a lane times 8/10 (1 to 8GFC) or 64/66 (16GFC; of 32GFC the 256b/257b coding and its parity take as much):
/// 1.0625, 2.125 (FC-PI), 4.25 (FC-PI-2), 8.5 (FC-PI-4), 14.025 (FC-PI-5), 28.05 (FC-PI-6) Gbaud.
constexpr std::array generations = {Generation{"1GFC", 850},  Generation{"2GFC", 1700},   Generation{"4GFC", 3400},
                                    Generation{"8GFC", 6800}, Generation{"16GFC", 13600}, Generation{"32GFC", 27200}};

std::optional<LinkRate> fibre_channel_rate(std::string_view text) {
  const auto* const found = std::ranges::find(generations, text, &Generation::name);
  if (found == generations.end()) return std::nullopt;
  return LinkRate{0, LaneSpeed::unknown, found->megabits};
}

}  // namespace

Result<> Fields::check_keys(const toml::table& table, std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : table) {
    if (std::ranges::find(keys, key.str()) != keys.end()) continue;
    return with_hint(fail_at(file_, line_of(key.source()), fmt::format("unknown key '{}'", key.str())),
                     fmt::format("known are {}", fmt::join(keys, ", ")));
  }
  return {};
}

Result<std::optional<std::string>> Fields::text(const toml::table& table, std::string_view key) const {
  const toml::node* node = table.get(key);
  if (!node) return std::nullopt;
  auto value = node->value_exact<std::string>();
  if (!value || value->empty()) return wrong(*node, fmt::format("{}: expected a text", key));
  return std::move(*value);
}

Result<std::string> Fields::needed_text(const toml::table& table, std::string_view key) const {
  auto value = text(table, key);
  if (!value) return Failure(value.error());
  if (!*value) return wrong(table, fmt::format("'{} = …' is missing", key));
  return std::move(**value);
}

Result<std::vector<std::string>> Fields::names(const toml::table& table, std::string_view key) const {
  const auto list = needed_text(table, key);
  if (!list) return Failure(list.error());
  auto names = expand_hostlist(*list);
  if (!names) return wrong(*table.get(key), fmt::format("{}: {}", key, names.error().message));
  return names;
}

bool Fields::has_fibre_channel_rate(const toml::table& table) const {
  const auto written = text(table, "rate");
  return written && *written && (*written)->ends_with("GFC");
}

Result<LinkRate> Fields::rate(const toml::table& table, LinkRate otherwise, bool fibre_channel) const {
  const auto written = text(table, "rate");
  if (!written) return Failure(written.error());
  if (!*written) return otherwise;
  if (fibre_channel) {
    const auto rate = fibre_channel_rate(**written);
    if (!rate)
      return wrong(*table.get("rate"), "rate: expected Fibre Channel's 1GFC, 2GFC, 4GFC, 8GFC, 16GFC or 32GFC");
    return *rate;
  }
  if (fibre_channel_rate(**written)) {
    return wrong(*table.get("rate"), fmt::format("rate: {} is of Fibre Channel, which the plane is not", **written));
  }
  const auto rate = parse_link_rate(**written);
  if (!rate) return wrong(*table.get("rate"), "rate: expected a rate like 1Gbit/s or 4xSDR");
  return *rate;
}

Result<PlaneUse> Fields::use(const toml::table& plane, bool fibre_channel) const {
  const toml::node* node = plane.get("for");
  if (!node) return fibre_channel ? PlaneUse::of_fibre_channel() : PlaneUse();
  const toml::array* array = node->as_array();
  if (!array || array->empty()) return wrong(*node, "for: expected a list like [\"collectives\"]");
  std::vector<Purpose> found;
  for (const toml::node& element : *array) {
    const auto text = element.value_exact<std::string>().value_or("");
    const auto* const known = std::ranges::find(named_purposes, text, &std::pair<std::string_view, Purpose>::first);
    if (known == named_purposes.end()) {
      return with_hint(wrong(element, fmt::format("for: nothing is called '{}'", text)),
                       "known are collectives, neighbours, storage");
    }
    if (fibre_channel && known->second != Purpose::storage) {
      return wrong(element, fmt::format("for: Fibre Channel carries storage alone, not {}", text));
    }
    found.push_back(known->second);
  }
  return fibre_channel ? PlaneUse::of_fibre_channel() : PlaneUse::only(found);
}

Result<std::uint32_t> Fields::latency(const toml::table& table, std::uint32_t otherwise) const {
  const auto written = text(table, "latency");
  if (!written) return Failure(written.error());
  if (!*written) return otherwise;
  const auto nanoseconds = parse_nanoseconds(**written);
  if (!nanoseconds || !std::in_range<std::uint32_t>(*nanoseconds)) {
    return wrong(*table.get("latency"), "latency: expected a duration of at most 4s, for example 30us");
  }
  return static_cast<std::uint32_t>(*nanoseconds);
}

Result<std::uint32_t> Fields::cables(const toml::table& table) const {
  const toml::node* node = table.get("cables");
  if (!node) return 1;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < 1 || *value > max_cables) {
    return wrong(*node, fmt::format("cables: expected a whole number from 1 to {}", max_cables));
  }
  return static_cast<std::uint32_t>(*value);
}

Result<std::vector<std::string>> Fields::addresses(const toml::table& table) const {
  const toml::node* node = table.get("addresses");
  if (!node) return {};
  const toml::array* array = node->as_array();
  if (!array || array->empty()) return wrong(*node, "addresses: expected a list like [\"192.168.0.161/24\"]");
  std::vector<std::string> addresses;
  for (const toml::node& element : *array) {
    auto address = element.value_exact<std::string>();
    if (!address || !is_address(*address)) {
      return wrong(element, "addresses: expected an IPv4 address with the length of its network, 192.168.0.161/24");
    }
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

}  // namespace ayatori::cluster
