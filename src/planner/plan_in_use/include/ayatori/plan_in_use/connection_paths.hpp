#pragma once
/// \file
/// Which path does a connection of a running program take by the plan of its job? (Paper 1, sections 4.2 and 5.1: there
/// Open MPI was changed for it.) A plan says it for pairs of ranks; a program that makes a connection knows two ports.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ayatori/artefacts/plan_file.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// A port of a job, numbered from 0 in the order of the ranks. The same number in all processes that read one plan.
using JobPort = std::uint32_t;

/// A port of this machine, as the subnet manager has set it up now.
struct LocalPort {
  Guid port_guid = 0;  ///< 0: not known
  Lid lid = 0;         ///< the first of its LIDs
  int lmc = 0;
};

/// The other end, as a program's address vector names it.
struct PeerPort {
  Lid lid = 0;                    ///< any of its LIDs
  std::optional<Guid> port_guid;  ///< from the destination GID, where there is a global route header
};

/// The two directions of a connection: path bits of the LIDs to which packets go, and from which they come.
struct PathBits {
  std::uint8_t there = 0;  ///< LID of the destination minus its base LID
  std::uint8_t back = 0;   ///< the same of our own port, for what the peer sends to us

  friend auto operator<=>(const PathBits&, const PathBits&) = default;
};

/// The two addresses of a connection that takes its planned path.
struct PlannedAddress {
  Lid dlid = 0;
  std::uint8_t source_path_bits = 0;  ///< the LID that packets come from is our base LID plus this

  friend bool operator==(const PlannedAddress&, const PlannedAddress&) = default;
};

/// Several ranks may share a port, and then several planned paths lead from one port to another: one for each pair of
/// their ranks. Connections use them round-robin. Both ends of a connection must choose the same path without
/// communication: each end of a connected queue pair drops packets whose source LID is not the LID to which it sends
/// itself (InfiniBand Architecture Specification 1.2, section 9.6.1.5). Both ends know the numbers of their two queue
/// pairs. The index of the path is the number of the queue pair at the port with the lower JobPort, modulo the number
/// of paths. Not safe for concurrent use.
class ConnectionPaths {
 public:
  /// `paths_per_pair`, at least 1: where the plan has fewer paths between two ports, connections also take those that
  /// follow: the planned path bits plus 1, 2, … modulo the number of path bits that the plan uses.
  ConnectionPaths(PlanFile plan, std::uint32_t paths_per_pair);

  /// False for a plan of ports with one LID each: there is nothing to choose.
  [[nodiscard]] bool has_choice() const { return plan_.lmc > 0; }

  /// Which port of the job this is; nullopt: none. Error: it is one of them, but its LIDs are no longer those that the
  /// plan was made for.
  [[nodiscard]] Result<std::optional<JobPort>> find_local(const LocalPort& port) const;

  /// Which port of the job an address vector of port `from` names. nullopt: none, `from` itself, or one that is
  /// ambiguous: the LID alone names ports of two subnets, or LID and GID name different ports.
  [[nodiscard]] std::optional<JobPort> find_peer(JobPort from, const PeerPort& peer) const;

  /// The paths between two different ports, each once. Those in the other direction are the same, in the same order,
  /// with `there` and `back` exchanged. The span is good until the next call.
  [[nodiscard]] std::span<const PathBits> between(JobPort from, JobPort to);

  /// The address of a connection between two queue pairs; both ends get the same path.
  [[nodiscard]] PlannedAddress of_queue_pair(JobPort from, JobPort to, std::uint32_t own, std::uint32_t peers);

  /// The address of an address handle; `number` counts those that were made from one port to another.
  [[nodiscard]] PlannedAddress of_handle(JobPort from, JobPort to, std::uint32_t number);

  /// The port with this LID among its own; where several have it, or `guid` is known to the plan, that of the GUID.
  [[nodiscard]] std::optional<JobPort> find_by_lid(Lid lid, Guid guid) const;

  [[nodiscard]] JobPort port_count() const { return static_cast<JobPort>(ports_.size()); }
  [[nodiscard]] JobPort port_of(Rank rank) const { return port_of_rank_[rank]; }
  [[nodiscard]] Rank first_rank(JobPort port) const { return ports_[port].ranks.front(); }
  [[nodiscard]] Lid base_lid(JobPort port) const { return ports_[port].base_lid; }

 private:
  struct Port {
    Guid port_guid = 0;
    Lid base_lid = 0;
    std::vector<Rank> ranks;
  };

  void number_ports();
  [[nodiscard]] bool has_lid(JobPort port, Lid lid) const;
  [[nodiscard]] std::vector<PathBits> find_paths(JobPort low, JobPort high) const;
  [[nodiscard]] PlannedAddress address(JobPort to, PathBits bits) const;

  PlanFile plan_;
  std::uint32_t paths_per_pair_;
  std::uint32_t used_path_bits_ = 1;  ///< the plan uses path bits below this
  std::vector<Port> ports_;
  std::vector<JobPort> port_of_rank_;
  std::vector<JobPort> port_of_lid_;  ///< by LID; no_id: none; `ambiguous`: more than one
  std::unordered_map<Guid, JobPort> port_of_guid_;
  std::unordered_map<std::uint64_t, std::vector<PathBits>> known_;  ///< by from · 2³² + to
};

}  // namespace ayatori
