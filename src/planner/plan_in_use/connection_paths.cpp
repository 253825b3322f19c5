#include "ayatori/plan_in_use/connection_paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ayatori {

namespace {

constexpr JobPort ambiguous = no_id - 1;

}  // namespace

ConnectionPaths::ConnectionPaths(PlanFile plan, std::uint32_t paths_per_pair)
    : plan_(std::move(plan)), paths_per_pair_(std::max(1U, paths_per_pair)) {
  for (const std::uint8_t bits : plan_.plan.all_path_bits()) used_path_bits_ = std::max(used_path_bits_, bits + 1U);
  number_ports();
}

void ConnectionPaths::number_ports() {
  std::map<std::pair<Guid, Lid>, JobPort> numbers;
  for (Rank rank = 0; rank < plan_.ranks.size(); ++rank) {
    const RankAddress& address = plan_.ranks[rank];
    const auto next = static_cast<JobPort>(ports_.size());
    const auto [found, is_new] = numbers.try_emplace({address.port_guid, address.base_lid}, next);
    if (is_new) ports_.push_back({address.port_guid, address.base_lid, {}});
    ports_[found->second].ranks.push_back(rank);
    port_of_rank_.push_back(found->second);
  }
  port_of_lid_.assign(std::size_t{last_unicast_lid} + 1, no_id);
  for (JobPort port = 0; port < ports_.size(); ++port) {
    const std::uint32_t end = std::min(ports_[port].base_lid + (1U << plan_.lmc), last_unicast_lid + 1U);
    for (std::uint32_t lid = ports_[port].base_lid; lid < end; ++lid) {
      port_of_lid_[lid] = port_of_lid_[lid] == no_id ? port : ambiguous;
    }
    if (ports_[port].port_guid != 0) port_of_guid_.try_emplace(ports_[port].port_guid, port);
  }
}

bool ConnectionPaths::has_lid(JobPort port, Lid lid) const {
  return lid >= ports_[port].base_lid && lid < ports_[port].base_lid + (1U << plan_.lmc);
}

std::optional<JobPort> ConnectionPaths::find_by_lid(Lid lid, Guid guid) const {
  if (const auto known = port_of_guid_.find(guid); known != port_of_guid_.end()) {
    return has_lid(known->second, lid) ? std::optional(known->second) : std::nullopt;
  }
  const JobPort found = lid < port_of_lid_.size() ? port_of_lid_[lid] : no_id;
  return found < ambiguous ? std::optional(found) : std::nullopt;
}

Result<std::optional<JobPort>> ConnectionPaths::find_local(const LocalPort& port) const {
  std::optional<JobPort> found;
  if (const auto known = port_of_guid_.find(port.port_guid); known != port_of_guid_.end()) {
    found = known->second;
  } else if (port.lid < port_of_lid_.size() && port_of_lid_[port.lid] < ambiguous) {
    const JobPort by_lid = port_of_lid_[port.lid];
    // A port of another GUID that has this LID now is not the one that was planned.
    if (port.port_guid == 0 || ports_[by_lid].port_guid == 0) found = by_lid;
  }
  if (!found) return found;
  if (ports_[*found].base_lid != port.lid || plan_.lmc != port.lmc) {
    return fail("the plan was made for LID {} and LMC {} of port {:#018x}, which now has LID {} and LMC {}",
                ports_[*found].base_lid, plan_.lmc, ports_[*found].port_guid, port.lid, port.lmc);
  }
  return found;
}

std::optional<JobPort> ConnectionPaths::find_peer(JobPort from, const PeerPort& peer) const {
  const JobPort by_lid = peer.lid < port_of_lid_.size() ? port_of_lid_[peer.lid] : no_id;
  if (by_lid == no_id) return std::nullopt;
  if (peer.port_guid) {
    const auto known = port_of_guid_.find(*peer.port_guid);
    if (known != port_of_guid_.end()) {
      if (!has_lid(known->second, peer.lid) || known->second == from) return std::nullopt;
      return known->second;
    }
  }
  // Without a GID both ends must be able to tell each other by their LIDs, or only one of them would take its path.
  if (by_lid == ambiguous || port_of_lid_[ports_[from].base_lid] == ambiguous || by_lid == from) return std::nullopt;
  return by_lid;
}

/// Seen from `low`: sorted, so that no order of ranks is in it, and then those that follow the planned ones.
std::vector<PathBits> ConnectionPaths::find_paths(JobPort low, JobPort high) const {
  std::vector<PathBits> paths;
  for (const Rank from : ports_[low].ranks) {
    for (const Rank to : ports_[high].ranks) {
      paths.push_back({plan_.plan.path_bits(from, to), plan_.plan.path_bits(to, from)});
    }
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  const std::size_t planned = paths.size();
  for (std::uint32_t offset = 1; offset < used_path_bits_; ++offset) {
    for (std::size_t i = 0; i < planned && paths.size() < paths_per_pair_; ++i) {
      const PathBits next = {static_cast<std::uint8_t>((paths[i].there + offset) % used_path_bits_),
                             static_cast<std::uint8_t>((paths[i].back + offset) % used_path_bits_)};
      if (std::ranges::find(paths, next) == paths.end()) paths.push_back(next);
    }
  }
  return paths;
}

std::span<const PathBits> ConnectionPaths::between(JobPort from, JobPort to) {
  const auto [found, is_new] = known_.try_emplace(std::uint64_t{from} << 32U | to);
  if (is_new) {
    found->second = find_paths(std::min(from, to), std::max(from, to));
    if (to < from) {
      for (PathBits& bits : found->second) std::swap(bits.there, bits.back);
    }
  }
  return found->second;
}

PlannedAddress ConnectionPaths::address(JobPort to, PathBits bits) const {
  return {static_cast<Lid>(ports_[to].base_lid + bits.there), bits.back};
}

PlannedAddress ConnectionPaths::of_queue_pair(JobPort from, JobPort to, std::uint32_t own, std::uint32_t peers) {
  const auto paths = between(from, to);
  return address(to, paths[(from < to ? own : peers) % paths.size()]);
}

PlannedAddress ConnectionPaths::of_handle(JobPort from, JobPort to, std::uint32_t number) {
  const auto paths = between(from, to);
  return address(to, paths[number % paths.size()]);
}

}  // namespace ayatori
