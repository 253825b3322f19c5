#include "formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t max_nodes = std::uint64_t{1} << 24;
constexpr std::uint64_t max_slots = std::uint64_t{1} << 26;

}  // namespace

Result<Formula> Formula::parse(std::string_view kind, std::string_view synopsis, std::string_view text,
                               std::span<const std::string_view> keys) {
  Formula formula;
  formula.kind_ = kind;
  formula.synopsis_ = synopsis;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    if (auto added = formula.add(trimmed(text.substr(0, end)), keys); !added) return Failure(added.error());
    if (end + 1 == text.size()) return formula.wrong("nothing follows the last separator");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return formula;
}

Result<> Formula::add(std::string_view part, std::span<const std::string_view> keys) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) {
    if (part.empty()) return wrong("nothing stands between two separators");
    if (!entries_.empty()) {
      entries_.back().values.push_back(part);
    } else if (shape_.empty()) {
      shape_ = part;
    } else {
      return wrong(fmt::format("expected key=value instead of '{}'", part));
    }
    return {};
  }
  const std::string_view key = trimmed(part.substr(0, equals));
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    return wrong(fmt::format("unknown key '{}'; the keys are {}", key, fmt::join(keys, ", ")));
  }
  if (has(key)) return wrong(fmt::format("key '{}' is given twice", key));
  entries_.push_back({key, {trimmed(part.substr(equals + 1))}});
  return {};
}

const Formula::Entry* Formula::find(std::string_view key) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &*found;
}

Failure Formula::wrong(std::string what) const {
  return with_hint(fail("{}: {}", kind_, what), fmt::format("a formula of this kind: {}", synopsis_));
}

Failure Formula::too_large(std::string what) const { return with_code(wrong(std::move(what)), EOVERFLOW); }

Result<std::uint64_t> Formula::number(std::string_view key, std::uint64_t otherwise, std::uint64_t least,
                                      std::uint64_t most) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return otherwise;
  if (entry->values.size() == 1) {
    const auto value = parse_unsigned<std::uint64_t>(entry->values.front());
    if (value && *value >= least && *value <= most) return *value;
  }
  return wrong(
      fmt::format("'{}' must be a number from {} to {}, not '{}'", key, least, most, fmt::join(entry->values, ",")));
}

Result<std::vector<std::uint64_t>> Formula::numbers(std::string_view key) const {
  std::vector<std::uint64_t> values;
  const Entry* entry = find(key);
  if (entry == nullptr) return values;
  for (const std::string_view text : entry->values) {
    const auto value = parse_unsigned<std::uint64_t>(text);
    if (!value || *value == 0 || *value > max_nodes) {
      return wrong(fmt::format("'{}' must be numbers from 1 to {}, not '{}'", key, max_nodes, text));
    }
    values.push_back(*value);
  }
  return values;
}

Result<LinkRate> Formula::rate() const {
  const Entry* entry = find("rate");
  if (entry == nullptr) return LinkRate{4, LaneSpeed::hdr};
  if (entry->values.size() == 1) {
    if (const auto rate = parse_link_rate(entry->values.front())) return *rate;
  }
  return wrong(
      fmt::format("'rate' must be like 4xHDR (width x SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR), not '{}'",
                  fmt::join(entry->values, ",")));
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  return a != 0 && b > largest / a ? largest : a * b;
}

void Size::add(std::uint64_t count, std::uint64_t ports) {
  nodes_ = saturating_sum(nodes_, count);
  slots_ = saturating_sum(slots_, saturating_product(count, ports + 1));
}

Result<> Size::check(const Formula& formula) const {
  if (nodes_ > max_nodes) {
    return formula.too_large(fmt::format("has more than {} devices", max_nodes));
  }
  if (slots_ > max_slots) {
    return formula.too_large(
        fmt::format("has {} devices with {} ports; the maximum is {} ports", nodes_, slots_, max_slots));
  }
  return {};
}

Guid router_guid(std::uint64_t index) { return 0x0020'0000'0000'0000 + (index << 8); }
Guid nic_guid(std::uint64_t index) { return 0x0010'0000'0000'0000 + (index << 8); }

NetworkBuilder::Handle add_host_nic(NetworkBuilder& builder, std::string_view host, std::uint64_t index,
                                    PortNumber ports, std::uint16_t rail) {
  return builder.add_nic(fmt::format("{} HCA-{}", host, rail + 1), nic_guid(index), ports, host, rail);
}

}  // namespace ayatori
