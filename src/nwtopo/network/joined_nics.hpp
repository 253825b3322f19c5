#pragma once
/// \file
/// Which NICs of two machines can talk, and how fast? Over several planes that is another pair for each two machines.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// A NIC of each of two machines.
struct NicPair {
  std::uint32_t from = 0;  ///< among the NICs of its machine
  std::uint32_t to = 0;
  double bytes_per_second = 0;  ///< of the slowest cable on a shortest path that is as fast as any
  double seconds = 0;           ///< the least latency of a shortest path, as far as the network tells it
};

/// Immutable; safe to read from many threads. In memory that grows with the square of the leaves.
class JoinedNics {
 public:
  /// `endpoints`: of all NICs that will be asked for. Cables whose rate is not known are as fast as the fastest of
  /// their plane, or if none is known there as any other.
  JoinedNics(const Network& network, std::span<const PortId> endpoints);

  /// Bytes a second from one endpoint to another; 0: no cables lead there.
  [[nodiscard]] double rate(PortId from, PortId to) const;

  /// The least sum of latencies on a shortest path; 0 where none leads, and for what the network does not tell.
  [[nodiscard]] double seconds(PortId from, PortId to) const;

  /// Pairs of NICs of two machines that cables join, the fastest first, each NIC at most once: of equal pairs those of
  /// the same rail first, then those of lower rails.
  [[nodiscard]] std::vector<NicPair> pairs(std::span<const PortId> from, std::span<const PortId> to) const;

 private:
  [[nodiscard]] double cable_rate(PortId port) const;

  const Network* network_;
  std::vector<double> fastest_;             // by plane
  std::vector<std::uint32_t> leaf_row_;     // by router; no_id: no endpoint is there
  std::vector<DeviceId> leaves_;            // by row
  std::vector<std::vector<double>> rates_;  // between leaves, by row
  std::vector<std::vector<std::uint64_t>> nanoseconds_;
};

}  // namespace ayatori
