#pragma once
/// \file
/// Which links a message takes: by forwarding tables and a plan, over all LIDs, or by dimension order in a grid.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/rails.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// The path of a part of a message.
struct PartPath {
  std::vector<std::uint32_t> links = {};  ///< in the order in which it takes them; each at most once
  std::uint32_t from_nic = no_id;         ///< through which it leaves a rank; no_id: a router
  std::uint32_t to_nic = no_id;           ///< through which it arrives
};

/// Directed links are numbered 0 … link_count() − 1. Immutable; safe to read from many threads.
class Paths {
 public:
  virtual ~Paths() = default;
  [[nodiscard]] virtual std::size_t link_count() const = 0;
  [[nodiscard]] virtual double bytes_per_second(std::uint32_t link) const = 0;
  [[nodiscard]] virtual double latency(std::uint32_t link) const = 0;  ///< seconds
  [[nodiscard]] virtual std::string name(std::uint32_t link) const = 0;
  /// The ranks, followed by the routers that take part.
  [[nodiscard]] virtual Rank participant_count() const = 0;
  /// The number of the machine or router that a participant is on: the same in the paths of all jobs on one network.
  /// Messages within one do not use the network.
  [[nodiscard]] virtual std::uint32_t machine(Rank participant) const = 0;
  /// The number of the NIC that a rank sends and receives through, again the same for all jobs; no_id of a router. By
  /// default each machine has one.
  [[nodiscard]] virtual std::uint32_t nic(Rank rank) const { return machine(rank); }
  /// Numbers of machines, and of NICs, are below these.
  [[nodiscard]] virtual std::uint32_t machine_count() const = 0;
  [[nodiscard]] virtual std::uint32_t nic_count() const { return machine_count(); }
  /// Replaces `links` by those that a message (or its first part) takes, in order; each at most once, none within a
  /// machine.
  virtual void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const = 0;

  /// Into how many parts a message of so many bytes between machines is cut, which travel at the same time; at least 1.
  /// By default it is whole.
  [[nodiscard]] virtual std::uint32_t part_count([[maybe_unused]] Rank from, [[maybe_unused]] Rank to,
                                                 [[maybe_unused]] Bytes bytes = large_message) const {
    return 1;
  }
  /// Replaces `path` by the path of a part below part_count().
  virtual void part([[maybe_unused]] std::uint32_t number, Rank from, Rank to, PartPath& path,
                    [[maybe_unused]] Bytes bytes = large_message) const {
    this->path(from, to, path.links);
    path.from_nic = nic(from);
    path.to_nic = nic(to);
  }

  /// The plane (index in Network::planes()) on which a message between two ranks, or its first part, travels; no_id:
  /// not known.
  [[nodiscard]] virtual std::uint32_t plane([[maybe_unused]] Rank from, [[maybe_unused]] Rank to,
                                            [[maybe_unused]] Bytes bytes = large_message) const {
    return no_id;
  }

  /// Whether parts are no equal pieces of a message, but paths among which its packets spread by load at every moment.
  [[nodiscard]] virtual bool splits_by_load() const { return false; }
};

/// Who chooses the path of a message between ranks.
enum class PathChoice : std::uint8_t {
  plan,  ///< a plan, or the tables without one
  load,  ///< each router, packet by packet: adaptive_paths()
  hash,  ///< each router, by a hash of the flow: ecmp_paths()
};

/// Whether a rank sends to another; empty: all do.
using Sends = std::function<bool(Rank from, Rank to)>;

struct LinkDefaults {
  double bytes_per_second = 0;  ///< > 0: of every link; 0: the network's rates, and 4xHDR where they are not known
  double latency = 0;           ///< seconds of each link whose latency the network does not know
};

/// Paths by forwarding tables and a plan; links are port ids. The network, routes and plan must outlive the result.
/// `routers` are the participants after the ranks, in this order; packets to a router go to its own LID. A path is
/// followed when it is asked for, so that memory is some numbers for each rank.
/// Errors: a plan for another number of ranks; a rank or router without LID; path bits beyond the LMC; two ranks
/// (of which one sends to the other, if `sends` says so) between which packets do not arrive (checked in parallel, once
/// for each leaf, destination and LID).
[[nodiscard]] Result<std::unique_ptr<Paths>> routed_paths(const Network& network, const Routes& routes,
                                                          const Plan& plan, const Job& job,
                                                          const LinkDefaults& defaults,
                                                          std::span<const DeviceId> routers = {},
                                                          const Sends& sends = {});

/// Background traffic that never ends. It flows at its demand, or at its max-min fair share of links that are full, as
/// one flow among those of the messages.
struct SteadyFlow {
  std::vector<std::uint32_t> links;  ///< as paths by tables number them
  double bytes_per_second = 0;       ///< its demand
};

/// The flows of Network::background(), on base LIDs. Errors: packets of one do not arrive.
[[nodiscard]] Result<std::vector<SteadyFlow>> steady_flows(const Network& network, const Routes& routes);

/// Paths over all LIDs of each destination: a message between ranks is cut into a part for each different path that
/// they name (multipath_tracer.hpp). Errors: those of routed_paths() on base LIDs, and of MultipathTracer::of().
[[nodiscard]] Result<std::unique_ptr<Paths>> multipath_paths(const Network& network, const Routes& routes,
                                                             const Job& job, const LinkDefaults& defaults,
                                                             std::span<const DeviceId> routers = {},
                                                             const Sends& sends = {});

/// Adaptive routing: the packets of a message spread by load over all shortest paths between the routers of its ranks
/// (simulate.hpp). Routers that take part send by `routes`, on base LIDs. Errors: those of routed_paths() on base LIDs;
/// ranks without cables between them; more shortest paths than fit in memory.
[[nodiscard]] Result<std::unique_ptr<Paths>> adaptive_paths(const Network& network, const Routes& routes,
                                                            const Job& job, const LinkDefaults& defaults,
                                                            std::span<const DeviceId> routers = {},
                                                            const Sends& sends = {});

/// Equal-cost multipath: each router hashes the flow of a message. Of its cables on shortest paths, in order of ports,
/// it takes the one with the number hash modulo their count. A flow is an ordered pair of ranks, as the five-tuple of a
/// RoCE queue pair is, and keeps its path; routers hash differently, so that their choices don't depend on each other.
/// Routers that take part send by `routes`, on base LIDs. Errors: as adaptive_paths().
[[nodiscard]] Result<std::unique_ptr<Paths>> ecmp_paths(const Network& network, const Routes& routes, const Job& job,
                                                        const LinkDefaults& defaults, std::uint64_t seed,
                                                        std::span<const DeviceId> routers = {},
                                                        const Sends& sends = {});

/// SplitMix64's mixing (Steele, Lea and Flood, OOPSLA 2014) of the seed with the router and then with the flow:
/// x ← seed; for each of the words router, flow: x ← mix(x + word + 0x9e3779b97f4a7c15). The flow is 2³² · from + to.
[[nodiscard]] std::uint64_t ecmp_hash(std::uint64_t seed, std::uint64_t router, std::uint64_t flow);

/// Paths of a job's ranks on machines with several NICs, from those of the job's NICs (RailMap::nics): messages leave
/// and arrive by the NICs that the map says, in parts if it says so.
[[nodiscard]] std::unique_ptr<Paths> rail_paths(std::unique_ptr<Paths> of_nics, RailMap map);

/// Paths in a grid of machines with built-in routers, in dimension order: from the first dimension to the last, the
/// shorter way round, upwards if both are equally long. `point_of_machine` is the row-major number of each machine's
/// point, last coordinate fastest (Placement::point), `machine_of_rank` each rank's machine (Placement::machine). Links
/// are numbered (point · dimensions + dimension) · 2 + (0 upwards, 1 downwards); they have LinkDefaults' rate and
/// latency (0: 4xHDR). Precondition: points lie in the grid, machines in `point_of_machine`.
[[nodiscard]] std::unique_ptr<Paths> grid_paths(std::vector<std::uint32_t> dimensions, std::vector<bool> periodic,
                                                std::vector<std::uint32_t> machine_of_rank,
                                                std::vector<std::uint32_t> point_of_machine, const LinkDefaults& links);

/// The same for a job on machines with built-in routers. Links have the rate of `links`, or the network's if that is 0,
/// and the network's latency where it is known. Errors: machines that form no grid, machines without a cable, links
/// whose latencies differ, or whose rates do if `links` has none.
[[nodiscard]] Result<std::unique_ptr<Paths>> grid_paths_of_job(const Network& network, const Job& job,
                                                               const LinkDefaults& links);

/// Paths where only the placement of the ranks is known: each machine has one link to the switch of its group, and each
/// group links as fast as those of all its machines together to one switch above. So what shares links here shares them
/// in every network of these groups, but for links inside of a network that is tapered. `machine_of_rank` and
/// `group_of_machine` as Placement have them. Links have LinkDefaults' rate and latency (0: 4xHDR).
[[nodiscard]] std::unique_ptr<Paths> switched_paths(std::vector<std::uint32_t> machine_of_rank,
                                                    std::vector<std::uint32_t> group_of_machine,
                                                    const LinkDefaults& links);

}  // namespace ayatori
