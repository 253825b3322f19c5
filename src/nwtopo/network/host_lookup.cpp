#include "host_lookup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "ayatori/base/text.hpp"
#include "ayatori/network/host_name.hpp"

namespace ayatori {

namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: d(i, j) for prefixes of lengths i and j, three rows at a time.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

bool is_guid(std::string_view host) { return host.starts_with("0x") || host.starts_with("0X"); }

Result<MachineId> HostLookup::find(std::string_view host) {
  if (const auto exact = network_.find_machine(host)) return *exact;
  if (is_guid(host)) return find_guid(host);
  const auto* const machines = machines_called(host);
  if (machines == nullptr) return unknown(host);
  if (machines->size() == 1) return machines->front();
  return fail("'{}' could be '{}' or '{}'", host, network_.machine((*machines)[0]).name,
              network_.machine((*machines)[1]).name);
}

std::optional<MachineId> HostLookup::find_by_any_name(std::string_view host) {
  if (const auto exact = network_.find_machine(host)) return *exact;
  if (is_guid(host)) {
    const auto found = find_guid(host);
    return found ? std::optional(*found) : std::nullopt;
  }
  const auto* const machines = machines_called(host);
  return machines != nullptr && machines->size() == 1 ? std::optional(machines->front()) : std::nullopt;
}

const std::vector<MachineId>* HostLookup::machines_called(std::string_view host) {
  index_names();
  for (const auto& [index, key] :
       {std::pair(&by_folded_name_, folded_host_name(host)), std::pair(&by_short_name_, short_host_name(host))}) {
    if (const auto found = index->find(key); found != index->end()) return &found->second;
  }
  return nullptr;
}

Result<MachineId> HostLookup::find_guid(std::string_view host) const {
  const auto guid = parse_guid(host);
  const auto port = guid ? network_.find_guid(*guid) : std::nullopt;
  if (!port) return fail("the network has no port with the GUID {}", host);
  const DeviceId device = network_.port(*port).device;
  const MachineId machine = network_.device(device).machine;
  if (machine == no_id) return fail("the GUID {} belongs to '{}', which is not a host", host, network_.name(device));
  return machine;
}

Failure HostLookup::unknown(std::string_view host) const {
  const std::string wanted = folded_host_name(host);
  // A name with half of its letters replaced is not a useful hint.
  auto nearest = std::tuple(wanted.size() / 2 + 1, std::size_t{0}, no_id);
  for (const MachineId id : network_.machines_in_order()) {
    const std::string name = folded_host_name(network_.machine(id).name);
    const auto letters_missed = wanted.size() - common_prefix(wanted, name);
    nearest = std::min(nearest, std::tuple(edit_distance(wanted, name), letters_missed, id));
  }
  const auto failure = fail("the network has no host '{}'", host);
  const MachineId id = std::get<MachineId>(nearest);
  if (id == no_id) return with_hint(failure, "--aliases FILE says what else hosts are called");
  return with_hint(failure, fmt::format("the nearest name is '{}'", network_.machine(id).name));
}

void HostLookup::index_names() {
  if (std::exchange(indexed_, true)) return;
  const auto add = [this](std::string_view name, MachineId id) {
    for (auto* const found : {&by_folded_name_[folded_host_name(name)], &by_short_name_[short_host_name(name)]}) {
      if (std::ranges::find(*found, id) == found->end()) found->push_back(id);
    }
  };
  for (const MachineId id : network_.machines_in_order()) add(network_.machine(id).name, id);
  for (const HostAlias& alias : network_.aliases()) add(alias.name, alias.machine);
}

}  // namespace ayatori
