#include "ayatori/routing/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "ayatori/base/parallel.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/routing/describe_parts.hpp"
#include "channel_dependencies.hpp"
#include "idle_links.hpp"
#include "packet_walk.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_problems = 10;

/// Ranges of LIDs that are followed together: tables are stored by router, so neighbouring LIDs share lines of cache.
struct Piece {
  std::size_t first_range = 0;
  std::size_t ranges = 0;
};

/// A piece has neighbouring LIDs, at most so many, or a single range.
constexpr std::uint32_t piece_size = 64;

std::vector<Piece> pieces_of(const LidMap& lids) {
  std::vector<Piece> pieces;
  const auto ranges = lids.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint32_t end = ranges[i].base + ranges[i].count();
    if (pieces.empty() || end - ranges[pieces.back().first_range].base > piece_size) pieces.push_back({i, 0});
    ++pieces.back().ranges;
  }
  return pieces;
}

/// Below this many table entries, waking other threads costs more than they save.
[[maybe_unused]] constexpr std::size_t worth_threads_of_walks = 1 << 16;

/// The channel adapters on a router, as far as the check needs them.
struct Place {
  std::uint32_t nics = 0;
  bool has_adapters = false;   ///< NICs or aggregation nodes
  std::uint32_t part = no_id;  ///< of the network, which packets can't leave; no_id for a router without cables
};

std::vector<Place> look_around(const Network& network) {
  std::vector<Place> places(network.router_count());
  const auto parts = RouterGraph(network).part_numbers();
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected()) continue;
      const DeviceKind kind = network.device(network.port(port.peer).device).kind;
      places[router].part = parts[router];
      places[router].has_adapters |= kind != DeviceKind::router;
      places[router].nics += kind == DeviceKind::nic ? 1 : 0;
    }
  }
  return places;
}

/// A hash of a path that goes on by this link.
constexpr std::uint64_t mix(std::uint64_t hash, PortId link) {
  hash = (hash ^ link) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 32U;
}

/// What the check of one piece found.
struct Findings {
  std::uint64_t unreachable = 0;
  std::uint64_t looping = 0;
  std::uint64_t unrouted_router_lids = 0;
  std::uint32_t longest = 0;
  DistinctPaths paths;
  std::vector<std::string> problems;
};

/// Follows LIDs; each thread has one.
class Checker {
 public:
  Checker(const Network& network, const Routes& routes, const std::vector<Place>& places,
          ChannelDependencies& dependencies)
      : network_(network),
        routes_(routes),
        places_(places),
        dependencies_(dependencies),
        walk_(network, routes.lids),
        load_(network.port_count(), 0),
        out_(network.router_count()) {}

  [[nodiscard]] Findings check(const Piece& piece) {
    Findings findings;
    const auto ranges = routes_.lids.ranges().subspan(piece.first_range, piece.ranges);
    fetch(ranges.front().base, ranges.back().base + ranges.back().count());
    for (const LidRange& range : ranges) {
      hashes_.clear();
      for (std::uint32_t j = 0; j < range.count(); ++j) check(static_cast<Lid>(range.base + j), findings);
      if (!hashes_.empty()) count_paths(range, findings.paths);
    }
    return findings;
  }

  /// How many LIDs of NICs are routed over each directed link between routers, counting packets from NICs.
  [[nodiscard]] const std::vector<std::uint32_t>& load() const { return load_; }

 private:
  [[nodiscard]] bool is_nic(Lid lid) const {
    return network_.device(network_.port(routes_.lids.owner(lid)).device).kind == DeviceKind::nic;
  }

  void check(Lid lid, Findings& findings) {
    for (DeviceId router = 0; router < out_.size(); ++router) out_[router] = entries_[router * span_ + lid - first_];
    walk_.follow(lid, [&](DeviceId router) { return out_[router]; });
    judge(lid, findings);
    follow_adapters();
    if (!is_nic(lid)) return;
    follow_nics();
    if (routes_.lids.of(routes_.lids.owner(lid)).count() > 1) note_paths();
  }

  /// Entries for LIDs from `first` up to `end`.
  void fetch(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    span_ = end - first;
    entries_.assign(network_.router_count() * span_, ForwardingTables::no_port);
    const std::size_t routers = std::min(network_.router_count(), routes_.tables.router_count());
    for (DeviceId router = 0; router < routers; ++router) {
      const auto row = routes_.tables.row(router);
      if (first >= row.size()) return;
      const auto piece = row.subspan(first, std::min<std::size_t>(span_, row.size() - first));
      std::ranges::copy(piece, entries_.begin() + static_cast<std::ptrdiff_t>(router * span_));
    }
  }

  /// A hash of the path of the LID at hand, for each router with NICs; 0 where packets do not arrive.
  void note_paths() {
    for (DeviceId router = 0; router < places_.size(); ++router) {
      if (places_[router].nics == 0) continue;
      std::uint64_t hash = walk_.fate(router) == Fate::arrives ? 1 : 0;
      for (DeviceId here = router; hash != 0 && walk_.link(here) != no_id; here = walk_.next(here)) {
        hash = mix(hash, walk_.link(here));
      }
      hashes_.push_back(hash);
    }
  }

  /// Distinct ones among the LIDs of a port, for each NIC on another router.
  void count_paths(const LidRange& range, DistinctPaths& paths) {
    const DeviceId goal = network_.router_of(range.port);
    const std::size_t sources = hashes_.size() / range.count();
    std::size_t source = 0;
    std::vector<std::uint64_t> of_pair(range.count());
    for (DeviceId router = 0; router < places_.size(); ++router) {
      if (places_[router].nics == 0) continue;
      for (std::size_t j = 0; j < of_pair.size(); ++j) of_pair[j] = hashes_[j * sources + source];
      ++source;
      if (router == goal) continue;
      std::ranges::sort(of_pair);
      const auto repeated = std::ranges::unique(of_pair);
      const auto distinct = of_pair.size() - repeated.size() - (of_pair.front() == 0 ? 1 : 0);
      if (distinct > 0) paths.add(static_cast<std::uint32_t>(distinct), places_[router].nics);
    }
  }

  /// Whether packets from here, which are lost, come to a router that has no entry for the LID.
  [[nodiscard]] bool ends_without_entry(DeviceId router) const {
    for (DeviceId next = walk_.next(router); next != no_id; next = walk_.next(router)) router = next;
    return out_[router] == ForwardingTables::no_port;
  }

  void judge(Lid lid, Findings& findings) const {
    const DeviceId owner = network_.port(routes_.lids.owner(lid)).device;
    const bool to_router = network_.is_router(owner);
    bool has_problem = false;
    const DeviceId goal_router = to_router ? owner : network_.router_of(routes_.lids.owner(lid));
    if (goal_router == no_id) return;  // no router has a cable to it
    const bool to_nic = is_nic(lid);
    const std::uint32_t part = places_[goal_router].part;
    if (part == no_id) return;  // no packet can come to it
    for (DeviceId router = 0; router < places_.size(); ++router) {
      if (places_[router].part != part) continue;
      if (walk_.fate(router) != Fate::arrives) {
        const bool unrouted = to_router && walk_.fate(router) == Fate::lost && ends_without_entry(router);
        ++findings.unreachable;
        findings.looping += walk_.fate(router) == Fate::loops ? 1 : 0;
        findings.unrouted_router_lids += unrouted ? 1 : 0;
        has_problem |= !unrouted;
      } else if (to_nic && places_[router].nics > (router == goal_router ? 1U : 0U)) {
        findings.longest = std::max(findings.longest, walk_.links(router) + 1);
      }
    }
    if (!has_problem) return;
    const auto is_in_part = [&](DeviceId router) { return places_[router].part == part; };
    walk_.describe_problems(out_, max_problems, is_in_part, findings.problems);
  }

  /// Calls `visit(router)` for each router that packets from routers with `is_source` come through.
  template <typename IsSource, typename Visit>
  void for_visited(IsSource&& is_source, Visit&& visit) {
    visited_.assign(places_.size(), false);
    for (DeviceId source = 0; source < places_.size(); ++source) {
      if (!is_source(places_[source])) continue;
      for (DeviceId here = source; here != no_id && !visited_[here]; here = walk_.next(here)) {
        visited_[here] = true;
        visit(here);
      }
    }
  }

  void follow_adapters() {
    for_visited([](const Place& place) { return place.has_adapters; },
                [&](DeviceId router) {
                  if (walk_.link(router) == no_id) return;
                  const PortId onwards = walk_.link(walk_.next(router));
                  if (onwards == no_id) return;
                  dependencies_.add(network_.port(walk_.link(router)).peer, network_.port(onwards).number);
                });
  }

  void follow_nics() {
    for_visited([](const Place& place) { return place.nics > 0; },
                [&](DeviceId router) {
                  if (walk_.link(router) != no_id) ++load_[walk_.link(router)];
                });
  }

  const Network& network_;
  const Routes& routes_;
  const std::vector<Place>& places_;
  ChannelDependencies& dependencies_;
  PacketWalk walk_;
  std::vector<std::uint32_t> load_;
  std::vector<TablePort> out_;         // of the LID at hand, by router
  std::vector<TablePort> entries_;     // of the piece at hand, by router and LID
  std::uint32_t first_ = 0;            // LID of the piece
  std::uint32_t span_ = 0;             // LIDs of the piece
  std::vector<std::uint64_t> hashes_;  // of the range's paths, by LID and router with NICs
  std::vector<bool> visited_;
};

/// Channel adapters on routers to whose ports no table leads. Their LIDs are in no map, so no walk finds them missing.
void find_unrouted_adapters(const Network& network, const LidMap& lids, TableCheck& check) {
  for (const auto ports : {network.endpoints(), network.aggregation_ports()}) {
    for (const PortId id : ports) {
      if (network.router_of(id) == no_id || lids.of(id).base != 0) continue;
      ++check.ports_without_lids;
      if (check.problems.size() == max_problems) continue;
      const Port& port = network.port(id);
      const MachineId machine = network.device(port.device).machine;
      const std::string host = machine == no_id ? "" : fmt::format(" of '{}'", network.machine(machine).name);
      const std::string name = fmt::format("'{}' port {}{}", network.name(port.device), port.number, host);
      check.problems.push_back(port.lid == 0
                                   ? fmt::format("{} has a cable, but no LID in these tables", name)
                                   : fmt::format("no router has an entry for LID {:#06x} ({})", port.lid, name));
    }
  }
}

void add_up(const std::vector<Findings>& all, TableCheck& check) {
  for (const Findings& findings : all) {
    check.unreachable += findings.unreachable;
    check.looping += findings.looping;
    check.unrouted_router_lids += findings.unrouted_router_lids;
    check.longest = std::max(check.longest, findings.longest);
    check.paths.add(findings.paths);
    for (const std::string& problem : findings.problems) {
      if (check.problems.size() < max_problems) check.problems.push_back(problem);
    }
  }
}

/// From the leaves up, both directions of a level side by side. Idle routers would hide how hosts' routes are spread.
std::vector<LinkBalance> balance_of(const Network& network, const std::vector<std::uint64_t>& load) {
  const auto levels = rank_levels(network);
  std::map<std::pair<int, bool>, LinkBalance> by_kind;
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || !network.is_router(port.device)) continue;
    const DeviceId other = network.port(port.peer).device;
    if (!network.is_router(other) || other == port.device) continue;
    if (levels && (levels->idle[port.device] || levels->idle[other])) continue;
    const int from = levels ? levels->level[port.device] : 0;
    const int to = levels ? levels->level[other] : 0;
    LinkBalance& balance = by_kind[{std::min(from, to), from > to}];
    if (balance.links == 0) {
      balance.kind = levels ? fmt::format("{} {}->{}", from < to ? "up" : "down", from, to) : "links";
      balance.min = load[id];
    }
    ++balance.links;
    balance.min = std::min(balance.min, load[id]);
    balance.max = std::max(balance.max, load[id]);
    balance.mean += static_cast<double>(load[id]);
  }
  std::vector<LinkBalance> balances;
  for (auto& [kind, balance] : by_kind) {
    balance.mean /= static_cast<double>(balance.links);
    balances.push_back(std::move(balance));
  }
  return balances;
}

}  // namespace

TableCheck check_tables(const Network& network, const Routes& routes) {
  const std::vector<Place> places = look_around(network);
  ChannelDependencies dependencies(network);
  const std::vector<Piece> pieces = pieces_of(routes.lids);
  std::vector<Findings> findings(pieces.size());
  std::vector<std::uint64_t> load(network.port_count(), 0);
  const bool many = network.router_count() * routes.lids.lid_count() >= worth_threads_of_walks;
  std::mutex mutex;
  parallel_for({.count = pieces.size(), .worth_threads = many}, [&](Iterations& iterations) {
    Checker checker(network, routes, places, dependencies);
    for (const std::size_t i : iterations) findings[i] = checker.check(pieces[i]);
    const std::scoped_lock lock(mutex);
    for (PortId id = 0; id < load.size(); ++id) load[id] += checker.load()[id];
  });

  TableCheck check;
  find_unrouted_adapters(network, routes.lids, check);
  add_up(findings, check);
  check.cycle = dependencies.find_cycle();
  check.deadlock_free = check.cycle.empty();
  check.balance = balance_of(network, load);
  check.idle_links = find_idle_links(network, routes, load);
  check.parts = describe_parts(network);
  return check;
}

}  // namespace ayatori
