#include "host_names.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>

#include "ayatori/base/text.hpp"
#include "cursor.hpp"
#include "host_pattern.hpp"

namespace ayatori {

namespace {

/// Kernel drivers name their devices FAMILYn or FAMILY_n.
constexpr std::array<std::string_view, 20> families = {"mlx5",  "mlx4",  "mthca", "hfi1",   "qib",     "ipath", "ehca",
                                                       "irdma", "i40iw", "cxgb4", "cxgb3",  "qedr",    "hns",   "efa",
                                                       "mana",  "rxe",   "siw",   "ocrdma", "bnxt_re", "ib"};

/// Persistent names that udev gives: "ibp65s0f0", "rocep3s0", "ibo1", "ibx0002c9…".
bool is_persistent_name(std::string_view word) {
  for (const std::string_view prefix : {"ib", "roce", "opa", "rdma"}) {
    if (!word.starts_with(prefix)) continue;
    const std::string_view place = word.substr(prefix.size());
    return place.size() >= 2 && std::string_view("posx").contains(place[0]) && is_digit(place[1]);
  }
  return false;
}

std::string_view without_brackets(std::string_view word) {
  if (word.size() >= 2 && word.front() == '(' && word.back() == ')') return word.substr(1, word.size() - 2);
  return word;
}

std::string_view without_quotes(std::string_view word) {
  if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"') && word.back() == word.front()) {
    return word.substr(1, word.size() - 2);
  }
  return word;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Names that installers give to every machine.
bool is_placeholder(std::string_view host) {
  constexpr std::array<std::string_view, 9> names = {"localhost", "(none)", "none",  "unknown", "ubuntu",
                                                     "debian",    "centos", "rocky", "linux"};
  const std::string_view first_label = host.substr(0, host.find('.'));
  return std::ranges::any_of(names, [&](std::string_view name) { return equal_ignoring_case(first_label, name); });
}

/// "MT4129", "ConnectX7", the id "H-0002c90300a1b2c3" that stands in for a missing description, or the name
/// "hca-0x0002c90300a1b2c3" of a machine that has none.
bool is_model_or_id(std::string_view word) {
  if (word.size() > 2 && word.starts_with("MT") && is_digit(word[2])) return true;
  if (word.starts_with("ConnectX") || word.starts_with("hca-0x")) return true;
  return word.size() == 18 && word[1] == '-' && parse_unsigned<Guid>(word.substr(2), 16).has_value();
}

}  // namespace

std::optional<DeviceName> parse_device_name(std::string_view word) {
  word = without_brackets(word);
  if (word.starts_with("HCA-")) {
    const auto number = parse_unsigned<std::uint32_t>(word.substr(4));
    if (!number || *number == 0) return std::nullopt;
    return DeviceName{*number - 1, "mlx5"};
  }
  for (const std::string_view family : families) {
    if (!word.starts_with(family)) continue;
    std::string_view digits = word.substr(family.size());
    if (digits.starts_with('_')) digits.remove_prefix(1);
    if (const auto number = parse_unsigned<std::uint32_t>(digits)) return DeviceName{number, family};
  }
  if (is_persistent_name(word)) return DeviceName{std::nullopt, word};
  return std::nullopt;
}

HostDevice parse_host(std::string_view description) {
  Cursor at(trimmed(description));
  const std::string_view first = at.word();
  const std::string_view second = at.skip_spaces().word();
  const std::string_view host = without_quotes(first);
  const auto device = parse_device_name(second);
  const bool is_whole = second.empty() && !parse_device_name(first);
  if (host.empty() || is_model_or_id(host) || is_placeholder(host) || !(device || is_whole)) return {};
  return {host, device};
}

bool describes_aggregation_node(std::string_view description) {
  return description.contains("Aggregation Node") || description.starts_with("SHArP");
}

namespace {

/// Numbered devices first, by number; then named ones, so that "ibp9s0" stands before "ibp65s0".
bool device_less(const std::optional<DeviceName>& a, const std::optional<DeviceName>& b) {
  if (!a || !b) return !a && b;
  if (a->number.has_value() != b->number.has_value()) return a->number.has_value();
  if (a->number != b->number) return *a->number < *b->number;
  return natural_less(a->family, b->family);
}

/// Devices with the same number have the same role in all machines, whatever their driver.
bool role_less(const DeviceName& a, const DeviceName& b) {
  return a.number && b.number ? *a.number < *b.number : device_less(a, b);
}

class HostAssignment {
 public:
  HostAssignment(std::span<const Adapter> adapters, std::vector<HostDevice> claims)
      : adapters_(adapters), claims_(std::move(claims)), by_host_(claims_.size()) {
    std::iota(by_host_.begin(), by_host_.end(), 0);
    std::sort(by_host_.begin(), by_host_.end(), [&](std::size_t a, std::size_t b) {
      if (claims_[a].host != claims_[b].host) return claims_[a].host < claims_[b].host;
      if (claims_[a].device != claims_[b].device) return device_less(claims_[a].device, claims_[b].device);
      return std::tuple(adapters_[a].guid, a) < std::tuple(adapters_[b].guid, b);
    });
  }

  /// Two adapters cannot be the same device of one machine, so that a name with such adapters belongs to several
  /// machines.
  void separate_namesakes() {
    each_host([&](std::span<const std::size_t> host) {
      const auto twin = std::ranges::adjacent_find(
          host, [&](std::size_t a, std::size_t b) { return claims_[a].device == claims_[b].device; });
      if (twin == host.end()) return;
      for (const std::size_t adapter : host) claims_[adapter] = {};
    });
  }

  std::vector<HostRail> host_rails() {
    const std::vector<DeviceName> roles = all_roles();
    std::vector<HostRail> host_rails(claims_.size());
    each_host([&](std::span<const std::size_t> host) {
      std::uint32_t next = 0;
      for (const std::size_t adapter : host) {
        const std::uint32_t rail = std::max(next, rank(roles, claims_[adapter].device));
        next = rail + 1;
        host_rails[adapter] = {claims_[adapter].host, static_cast<std::uint16_t>(std::min(rail, 0xFFFFU))};
      }
    });
    return host_rails;
  }

 private:
  template <typename Visit>
  void each_host(Visit visit) const {
    std::size_t from = 0;
    while (from < by_host_.size()) {
      std::size_t to = from + 1;
      while (to < by_host_.size() && claims_[by_host_[to]].host == claims_[by_host_[from]].host) ++to;
      if (!claims_[by_host_[from]].host.empty()) visit(std::span(by_host_).subspan(from, to - from));
      from = to;
    }
  }

  [[nodiscard]] std::vector<DeviceName> all_roles() const {
    std::vector<DeviceName> roles;
    for (const HostDevice& claim : claims_) {
      if (!claim.host.empty() && claim.device) roles.push_back(*claim.device);
    }
    std::sort(roles.begin(), roles.end(), role_less);
    const auto same_role = [](const DeviceName& a, const DeviceName& b) {
      return !role_less(a, b) && !role_less(b, a);
    };
    roles.erase(std::unique(roles.begin(), roles.end(), same_role), roles.end());
    return roles;
  }

  static std::uint32_t rank(const std::vector<DeviceName>& roles, const std::optional<DeviceName>& device) {
    if (!device) return 0;
    return static_cast<std::uint32_t>(std::ranges::lower_bound(roles, *device, role_less) - roles.begin());
  }

  std::span<const Adapter> adapters_;
  std::vector<HostDevice> claims_;
  std::vector<std::size_t> by_host_;  // sorted by host, then device
};

}  // namespace

Result<std::vector<HostRail>> assign_hosts(std::span<const Adapter> adapters, std::string_view host_pattern) {
  Result<ReadHost> read = parse_host;
  if (!host_pattern.empty()) read = compile_host_pattern(host_pattern);
  if (!read) return Failure(read.error());
  std::vector<HostDevice> claims;
  claims.reserve(adapters.size());
  for (const Adapter& adapter : adapters) claims.push_back((*read)(adapter.description));
  HostAssignment assignment(adapters, std::move(claims));
  if (host_pattern.empty()) assignment.separate_namesakes();
  return assignment.host_rails();
}

}  // namespace ayatori
