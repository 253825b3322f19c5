#pragma once
/// \file
/// Source ports of RoCE connections, such that by the hashes of the switches no two messages of a step share a link
/// between switches. Where switches route by hashes, this is what a plan of LIDs is on InfiniBand.

#include <cstdint>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/hashing/hashed_paths.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

/// How the messages of a job share links between switches; the model is that of contention.hpp, for links of one rate.
struct HashedContention {
  std::uint64_t steps = 0;       ///< in which some message passes between switches
  std::uint64_t free_steps = 0;  ///< those of them in which no two messages share a link
  double relative_bandwidth = 1;
  std::uint32_t worst_load = 0;  ///< messages on one link in one step
};

struct SourcePorts {
  std::uint32_t endpoints = 0;
  /// By source · endpoints + destination; 0 from an endpoint to itself.
  std::vector<std::uint16_t> ports;
  HashedContention contention;
  std::uint64_t proven_steps = 0;     ///< steps that share links, and for which every choice of ports does
  std::uint64_t undecided_steps = 0;  ///< steps that share links, where the search ended before it had seen all choices

  [[nodiscard]] std::uint16_t port(std::uint32_t from, std::uint32_t to) const {
    return ports[std::size_t{from} * endpoints + to];
  }
};

/// Plans the messages of `steps`, whose ranks are the endpoints. Each pair gets the lowest port that takes its path. A
/// pair that is in several steps keeps the port of its first. Deterministic until `control` stops it: then all pairs
/// that have none get the first port. Errors: more or fewer ranks than endpoints.
[[nodiscard]] Result<SourcePorts> plan_source_ports(const HashedPaths& paths, const StepSequence& steps,
                                                    const SearchControl& control = {});

/// The contention of given ports, as SourcePorts::ports has them. Errors: more or fewer ranks or ports.
[[nodiscard]] Result<HashedContention> measure_source_ports(const HashedPaths& paths,
                                                            const std::vector<std::uint16_t>& ports,
                                                            const StepSequence& steps);

/// Ports as they come where nobody plans: drawn at random, by `seed`.
[[nodiscard]] std::vector<std::uint16_t> random_source_ports(std::uint32_t endpoints, std::uint64_t seed);

}  // namespace ayatori
