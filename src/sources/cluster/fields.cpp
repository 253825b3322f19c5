#include "fields.hpp"

#include <arpa/inet.h>
#include <fmt/ranges.h>

#include <algorithm>
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

Result<LinkRate> Fields::rate(const toml::table& table, LinkRate otherwise) const {
  const auto written = text(table, "rate");
  if (!written) return Failure(written.error());
  if (!*written) return otherwise;
  const auto rate = parse_link_rate(**written);
  if (!rate) return wrong(*table.get("rate"), "rate: expected a rate like 1Gbit/s or 4xSDR");
  return *rate;
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
