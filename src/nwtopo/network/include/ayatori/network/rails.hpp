#pragma once
/// \file
/// Machines with several NICs, one a rail: by which of them does a message leave its machine, and by which does it
/// arrive?

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

class JoinedNics;
struct NicPair;

enum class RailUse : std::uint8_t {
  own,      ///< by the NICs of its two ranks (endpoints_of_ranks), as MPI processes that are bound to a NIC do
  aligned,  ///< on the rail of the receiver's NIC at both ends: it crosses to another rail inside the sender's machine,
            ///< as NCCL's PXN does. Where the sender's machine has no such NIC, by the sender's own.
  striped,  ///< in equal parts over all rails, each on its own rail at both ends, as UCX's multi-rail does. Of several
            ///< planes over as many of the fastest paths as are faster together than fewer.
  fastest,  ///< whole, on the fastest plane that both machines are on, by the rate of the slowest cable of the path. Of
            ///< several NICs there by those of its two ranks, as `own`.
  lowest_latency,  ///< by size: whole on the plane where it takes the least time, latency and bytes together, or from
                   ///< min_striped_bytes on in equal parts over several planes where that takes less
};

/// A part of a smaller message costs more than it brings.
inline constexpr Bytes min_striped_bytes = 64 << 10;
/// Of a message that is so large that its latency counts for nothing.
inline constexpr Bytes large_message = Bytes{1} << 40U;

/// From a size on, the NICs by which the parts of a message leave and arrive.
struct PathsFrom {
  Bytes bytes = 0;
  std::vector<std::pair<Rank, Rank>> parts;
};

/// The NICs of a job as a job of its own, with a rank for each NIC of each machine, in the order of the machines and
/// there of the rails; and which of them a message between ranks uses. Immutable; safe to read from many threads.
class RailMap {
 public:
  /// `plane_seconds`: by plane what a message without bytes takes besides the latencies of links; may be shorter. For
  /// `lowest_latency`.
  RailMap(const Network& network, const Job& job, RailUse use, std::vector<double> plane_seconds = {});

  /// One rank for each NIC.
  [[nodiscard]] const Job& nics() const { return nics_; }
  /// Of the job whose messages are mapped.
  [[nodiscard]] Rank rank_count() const { return static_cast<Rank>(nic_of_rank_.size()); }
  /// The number of a rank's own NIC in nics().
  [[nodiscard]] Rank nic_of(Rank rank) const { return nic_of_rank_[rank]; }

  /// Into how many parts a message is cut: at least 1. Within a machine it is whole.
  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes bytes = large_message) const;
  /// The NICs by which a part leaves and arrives. Precondition: part < part_count(from, to, bytes).
  [[nodiscard]] std::pair<Rank, Rank> nics_of_part(Rank from, Rank to, std::uint32_t part,
                                                   Bytes bytes = large_message) const;
  /// The same for all sizes, the first from 0 bytes on; no parts where no cables join two machines.
  [[nodiscard]] std::vector<PathsFrom> paths(Rank from, Rank to) const;
  /// Whether some message may leave by one NIC and arrive by another, which is on another machine. Between rails that
  /// no cable joins, none does but by `own`, and by the others between machines that no cables join at all.
  [[nodiscard]] bool may_connect(Rank leaves, Rank arrives) const;

 private:
  [[nodiscard]] std::span<const PortId> endpoints_of(std::uint32_t machine) const;
  [[nodiscard]] std::pair<Rank, Rank> on_fastest_plane(Rank from, Rank to) const;
  struct LowestLatency {
    std::uint32_t first = 0;  // of the pairs of NICs of both machines
    std::uint32_t count = 0;
  };
  [[nodiscard]] LowestLatency lowest_latency(const std::vector<NicPair>& pairs, Rank from, Bytes bytes) const;
  [[nodiscard]] std::vector<NicPair> pairs_between(Rank from, Rank to) const;
  [[nodiscard]] Rank first_nic(Rank rank) const { return first_nic_[machine_[rank]]; }
  [[nodiscard]] std::uint32_t nic_count(Rank rank) const { return nic_count_[machine_[rank]]; }

  RailUse use_;
  Job nics_;
  std::vector<std::uint32_t> machine_;  // by rank: in the job
  std::vector<Rank> nic_of_rank_;
  std::vector<Rank> first_nic_;                // by machine of the job
  std::vector<std::uint32_t> nic_count_;       // by machine of the job
  std::vector<std::uint32_t> machine_of_nic_;  // in the job
  std::vector<PortId> endpoints_;              // by NIC
  std::vector<double> plane_seconds_;
  std::vector<PlaneId> plane_of_nic_;
  /// Which NICs can talk: only where `use_` asks for it, and striped only on several planes.
  std::shared_ptr<const JoinedNics> joined_;
};

/// The steps of a job as steps of its NICs: each part of a message is one. Parts have what remains of a division as
/// well: bytes are rounded up. `steps` must outlive the result. Precondition: as many ranks as the map has.
[[nodiscard]] std::unique_ptr<StepSequence> on_rails(const StepSequence& steps, RailMap map);

}  // namespace ayatori
