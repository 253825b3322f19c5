#include "table_writer.hpp"

#include <algorithm>
#include <array>

#include "ayatori/base/parallel.hpp"
#include "level_routes.hpp"
#include "up_down.hpp"

namespace ayatori {

namespace {

/// Below this many table entries, waking other threads costs more than they save.
[[maybe_unused]] constexpr std::size_t worth_threads_of_tables = 1 << 16;

/// A LID at the router where its owner is attached.
struct Address {
  Lid lid = 0;
  PathNumber path = 0;
  std::uint32_t round = 0;  ///< tells apart destinations whose LIDs take this path
  TablePort exit = 0;       ///< from the router to the owner; 0 is the router itself
};

/// All addresses, by router.
class Directory {
 public:
  Directory(const Network& network, const LidMap& lids, const FabricPaths& paths,
            std::span<const std::uint32_t> endpoint_numbers, PathNumbering numbering)
      : numbering_(numbering), at_(network.router_count()) {
    paths_.reserve(network.router_count());
    for (DeviceId router = 0; router < network.router_count(); ++router) paths_.push_back(paths.to(router));
    enter_all(network, lids, network.endpoints(), endpoint_numbers);
    enter_all(network, lids, network.aggregation_ports(), {});
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      enter(router, 0, lids.of(network.port_id(router, 0)), router);
    }
  }

  [[nodiscard]] const std::vector<Address>& at(DeviceId router) const { return at_[router]; }

 private:
  /// `numbers` of the ports; empty: 0, 1, 2, …
  void enter_all(const Network& network, const LidMap& lids, std::span<const PortId> ports,
                 std::span<const std::uint32_t> numbers) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const Port& router_port = network.port(network.port(ports[i]).peer);
      enter(router_port.device, static_cast<TablePort>(router_port.number), lids.of(ports[i]),
            numbers.empty() ? i : numbers[i]);
    }
  }

  void enter(DeviceId router, TablePort exit, const LidRange& range, std::size_t number) {
    if (range.base == 0) return;
    const auto& paths = paths_[router];
    // The rules of generate.hpp.
    const bool by_root = numbering_ == PathNumbering::by_root && range.count() >= paths.size();
    const auto round = static_cast<std::uint32_t>(by_root ? number : number / paths.size());
    for (std::uint32_t j = 0; j < range.count(); ++j) {
      const PathNumber path = paths[(by_root ? j : number + j) % paths.size()];
      at_[router].push_back({static_cast<Lid>(range.base + j), path, round, exit});
    }
  }

  PathNumbering numbering_;
  std::vector<std::vector<Address>> at_;
  std::vector<std::vector<PathNumber>> paths_;
};

/// Writes the entries of one destination router's addresses into all tables. Each thread has one. `RoutesTo` is UpDown
/// or LevelRoutes.
template <typename RoutesTo>
class TableWriter {
 public:
  TableWriter(const FabricPaths& paths, const RoutesTo& routes, ForwardingTables& tables)
      : graph_(paths.graph()), tree_(paths.tree()), routes_(routes), tables_(tables) {}

  void write(DeviceId destination, const std::vector<Address>& addresses) {
    routes_.aim(destination);
    find_descents(destination, addresses);
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      const auto row = tables_.row(router);
      if (router == destination) {
        for (const Address& address : addresses) row[address.lid] = address.exit;
      } else {
        write_row(router, row, addresses);
      }
    }
  }

 private:
  /// A router above the destination on its trail of a path, and the cable there that leads back down.
  struct Descent {
    DeviceId router = no_id;
    DeviceId below = no_id;
    PortNumber port = 0;
  };

  void find_descents(DeviceId destination, const std::vector<Address>& addresses) {
    descents_.assign(addresses.size() * tree_->level_count(), {});
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      DeviceId here = destination;
      while (const RouterGraph::Cable* cable = tree_->up(here, addresses[i].path)) {
        descents_[i * tree_->level_count() + tree_->level(cable->peer)] = {cable->peer, here, cable->peer_port};
        here = cable->peer;
      }
    }
  }

  void write_row(DeviceId router, std::span<TablePort> row, const std::vector<Address>& addresses) {
    find_next_cables(router);
    if (next_count_ == 1) {
      const auto only = static_cast<TablePort>(next_[0]->port);
      for (const Address& address : addresses) row[address.lid] = only;
    } else {
      for (std::size_t i = 0; i < addresses.size(); ++i) {
        row[addresses[i].lid] = static_cast<TablePort>(port_for(router, addresses[i], i));
      }
    }
  }

  void find_next_cables(DeviceId router) {
    next_count_ = 0;
    for (const RouterGraph::Cable& cable : graph_.cables(router)) {
      if (routes_.is_next(router, cable.peer)) next_[next_count_++] = &cable;
    }
  }

  PortNumber port_for(DeviceId router, const Address& address, std::size_t index) const {
    const Descent& descent = descents_[index * tree_->level_count() + tree_->level(router)];
    if (descent.router == router && routes_.is_next(router, descent.below)) return descent.port;
    const RouterGraph::Cable* cable = tree_->up(router, address.path);
    if (cable != nullptr && routes_.is_next(router, cable->peer)) return cable->port;
    return detour(router, address);
  }

  /// The path does not exist here: its destinations are distributed over the paths that do.
  PortNumber detour(DeviceId router, const Address& address) const {
    const std::uint8_t level = tree_->level(router);
    const bool down = tree_->level(next_[0]->peer) < level;
    const std::size_t digit = down ? tree_->digit_down(level, address.path) : tree_->digit_up(level, address.path);
    return next_[(digit + address.round) % next_count_]->port;
  }

  const RouterGraph& graph_;
  const TreePaths* tree_;
  RoutesTo routes_;
  ForwardingTables& tables_;
  std::vector<Descent> descents_;                      // by address and level
  std::array<const RouterGraph::Cable*, 256> next_{};  // cables that a packet may take from the router at hand
  std::size_t next_count_ = 0;
};

template <typename RoutesTo>
ForwardingTables write_tables(const Network& network, const LidMap& lids, const FabricPaths& paths,
                              const Directory& directory, const RoutesTo& routes) {
  ForwardingTables tables(network.router_count(), lids.last());
  const bool many = network.router_count() * lids.lid_count() >= worth_threads_of_tables;
  // Routers with neighbouring ids often share a cache line in the tables: large enough pieces keep threads apart.
  parallel_for({.count = network.router_count(), .piece = 16, .worth_threads = many}, [&](Iterations& iterations) {
    TableWriter writer(paths, routes, tables);
    for (const std::size_t iteration : iterations) {
      const auto router = static_cast<DeviceId>(iteration);
      writer.write(router, directory.at(router));
    }
  });
  return tables;
}

}  // namespace

ForwardingTables write_tables_for(const Network& network, const LidMap& lids, const FabricPaths& paths,
                                  const RouterOrder& order, RouteRule rule,
                                  std::span<const std::uint32_t> endpoint_numbers, PathNumbering numbering) {
  const Directory directory(network, lids, paths, endpoint_numbers, numbering);
  if (rule == RouteRule::by_levels)
    return write_tables(network, lids, paths, directory, LevelRoutes(paths.graph(), order, *paths.levels()));
  return write_tables(network, lids, paths, directory, UpDown(paths.graph(), order, paths.levels()));
}

}  // namespace ayatori
