#pragma once
/// \file
/// Which links a message takes, whatever decided it.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"
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
  /// Ranks, and behind them the routers that take part.
  [[nodiscard]] virtual Rank participant_count() const = 0;
  /// Below participant_count(): the machine or router that a participant is on. Messages within one do not use the
  /// network.
  [[nodiscard]] virtual std::uint32_t machine(Rank participant) const = 0;
  /// Below participant_count(): the NIC that a rank sends and receives through. One a machine, unless told otherwise.
  [[nodiscard]] virtual std::uint32_t nic(Rank rank) const { return machine(rank); }
  /// Replaces `links` by those that a message takes, in order; each at most once, none within a machine.
  virtual void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const = 0;
};

struct LinkDefaults {
  double bytes_per_second = 0;  ///< > 0: every link, whatever its rate; 0: the network's rates, 4xHDR where not known
  double latency = 0;           ///< seconds a link, where the network does not tell
};

/// By forwarding tables and a plan (links are port ids). The network, routes and plan must outlive it. `routers` are
/// the participants behind the ranks, in their order; packets to one go by its own LID. Follows packets as they are
/// asked for: memory is some numbers a rank. Errors: a plan for another number of ranks; a rank or router without LID;
/// path bits beyond the LMC; a pair of ranks whose packets do not arrive (looked for once a leaf, destination and LID,
/// in parallel).
[[nodiscard]] Result<std::unique_ptr<Paths>> routed_paths(const Network& network, const Routes& routes,
                                                          const Plan& plan, const Job& job,
                                                          const LinkDefaults& defaults,
                                                          std::span<const DeviceId> routers = {});

/// In a grid of machines with built-in routers: dimension order, from the first dimension to the last, the shorter way
/// round, upwards if both are equal. `point_of_machine` is the row-major number of each machine's point, last
/// coordinate fastest (Places::point), `machine_of_rank` each rank's machine (Places::machine). Links are numbered
/// (point · dimensions + dimension) · 2 + (0 upwards, 1 downwards); they have LinkDefaults' rate and latency (0:
/// 4xHDR). Precondition: points lie in the grid, machines in `point_of_machine`.
[[nodiscard]] std::unique_ptr<Paths> grid_paths(std::vector<std::uint32_t> dimensions, std::vector<bool> periodic,
                                                std::vector<std::uint32_t> machine_of_rank,
                                                std::vector<std::uint32_t> point_of_machine, const LinkDefaults& links);

/// The same for a job on machines with built-in routers; links have the network's rate, unless `links` says another,
/// and its latency where it tells one. Errors: machines that form no grid, machines without a cable, links whose
/// latencies differ, or whose rates do if `links` has none.
[[nodiscard]] Result<std::unique_ptr<Paths>> grid_paths_of_job(const Network& network, const Job& job,
                                                               const LinkDefaults& links);

}  // namespace ayatori
