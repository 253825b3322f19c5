#pragma once
/// \file
/// The traffic of each pair of ranks over all LIDs of the destination: multi-pathing (paper 1, references 3 and 4), as
/// opposed to a plan, which takes one path for each message. LIDs of one destination that lead from a leaf over the
/// same links are one path. A message is cut into equal parts, one for each path.

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Immutable; safe to read from many threads. Takes 16 bytes for each leaf of the job and rank.
class MultipathTracer {
 public:
  /// What a link carries of messages: a sum of parts.
  using Load = double;
  /// Whether a rank sends to another; empty: all do.
  using Sends = std::function<bool(Rank from, Rank to)>;

  /// `endpoints` has the port of each rank. `network`, `routes` must outlive it. With `sends` only ranks that send to
  /// each other have paths. Errors: a rank without a LID; a LID of
  /// a rank by which packets from another rank's leaf do not arrive (names both).
  [[nodiscard]] static Result<MultipathTracer> of(const Network& network, const Routes& routes,
                                                  std::span<const PortId> endpoints, const Sends& sends = {});

  /// At least 1.
  [[nodiscard]] std::uint32_t path_count(Rank from, Rank to) const {
    const PathBits& bits = bits_of(from, to);
    return static_cast<std::uint32_t>(std::popcount(bits[0]) + std::popcount(bits[1]));
  }

  /// Calls `visit(PortId)` with each directed link of a path, of which there are path_count().
  template <typename Visit>
  void trace(Rank from, Rank to, std::uint32_t path, Visit&& visit) const {
    tracer_.trace(from, to, path_bits(from, to, path), visit);
  }

  /// Calls `visit(PortId, share of the message)` with each directed link of each path. Every message arrives.
  template <typename Visit>
  bool trace(const Message& message, Visit&& visit) const {
    const std::uint32_t count = path_count(message.from, message.to);
    for (std::uint32_t path = 0; path < count; ++path) {
      trace(message.from, message.to, path, [&](PortId link) { visit(link, 1.0 / count); });
    }
    return true;
  }

  [[nodiscard]] bool is_endpoint_cable(PortId link) const { return tracer_.is_endpoint_cable(link); }

 private:
  /// Which path bits name different paths: bit b of the 128.
  using PathBits = std::array<std::uint64_t, 2>;

  MultipathTracer(const Network& network, const Routes& routes, std::span<const PortId> endpoints);

  [[nodiscard]] const PathBits& bits_of(Rank from, Rank to) const {
    return paths_[std::size_t{leaf_of_rank_[from]} * leaf_of_rank_.size() + to];
  }
  [[nodiscard]] std::uint8_t path_bits(Rank from, Rank to, std::uint32_t path) const;
  void number_leaves(const Network& network, std::span<const PortId> endpoints);
  /// A message that does not arrive by all LIDs, if there is one.
  [[nodiscard]] std::optional<Message> find_paths(const Routes& routes, std::span<const PortId> endpoints,
                                                  const Sends& sends);
  /// False if a packet does not arrive by one of the LIDs.
  [[nodiscard]] bool find_paths(Rank from, Rank to, std::uint32_t lids);

  std::unique_ptr<const Plan> base_lids_;  // which the tracer refers to
  MessageTracer tracer_;
  std::vector<std::uint32_t> leaf_of_rank_;
  std::vector<std::vector<Rank>> ranks_of_leaf_;
  std::vector<PathBits> paths_;  // by leaf and rank
};

}  // namespace ayatori
