#pragma once
/// \file
/// Which links a message takes, whatever decided it.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/routing/plan.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Directed links are numbered 0 … link_count() − 1. Immutable; safe to read from many threads.
class Paths {
 public:
  virtual ~Paths() = default;
  [[nodiscard]] virtual std::size_t link_count() const = 0;
  [[nodiscard]] virtual double bytes_per_second(std::uint32_t link) const = 0;
  [[nodiscard]] virtual double latency(std::uint32_t link) const = 0;  ///< seconds
  [[nodiscard]] virtual std::string name(std::uint32_t link) const = 0;
  /// The node that a rank is on: messages within one do not use the network.
  [[nodiscard]] virtual std::uint32_t node(Rank rank) const = 0;
  /// Replaces `links` by those that a message takes, in order. Participants behind the ranks are routers.
  virtual void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const = 0;
};

struct LinkDefaults {
  double bytes_per_second = 0;  ///< > 0: every link, whatever its rate; 0: the network's rates, 4xHDR where not known
  double latency = 0;           ///< seconds a link, where the network does not tell
};

/// By forwarding tables and a plan (links are port ids). The network, routes and plan must outlive it. Error: a pair of
/// ranks whose packets do not arrive.
[[nodiscard]] Result<std::unique_ptr<Paths>> routed_paths(const Network& network, const Routes& routes,
                                                          const Plan& plan, const Job& job,
                                                          const LinkDefaults& defaults);

/// In a grid of machines with built-in routers: dimension order, from the first dimension to the last, the shorter way
/// round, upwards if both are equal. `point` is the place of each rank's node (Places::point of its node).
[[nodiscard]] std::unique_ptr<Paths> grid_paths(std::vector<std::uint32_t> dimensions, std::vector<bool> periodic,
                                                std::vector<std::uint32_t> node_of_rank,
                                                std::vector<std::uint32_t> point_of_node, const LinkDefaults& links);

}  // namespace ayatori
