#include "balanced_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ayatori/network/shape.hpp"
#include "balanced_drafts.hpp"

namespace ayatori {

namespace {

/// A channel adapter's port as a destination.
struct Adapter {
  DeviceId router = no_id;
  TablePort exit = 0;  ///< of the router, to the adapter
  LidRange lids;
};

/// Those with LIDs, in network order.
std::vector<Adapter> adapters_of(const Network& network, const LidMap& lids) {
  std::vector<Adapter> adapters;
  const auto enter_all = [&](std::span<const PortId> ports) {
    for (const PortId port : ports) {
      const DeviceId router = network.router_of(port);
      const LidRange range = lids.of(port);
      if (router == no_id || range.base == 0) continue;
      adapters.push_back({router, static_cast<TablePort>(network.port(network.port(port).peer).number), range});
    }
  };
  enter_all(network.endpoints());
  enter_all(network.aggregation_ports());
  return adapters;
}

/// Writes one destination after the other.
class Writer {
 public:
  Writer(const RouterGraph& graph, const Channels& channels, ForwardingTables& tables)
      : graph_(graph), channels_(channels), tables_(tables), ports_(channels.size()), entries_(channels.size(), 0) {
    for (DeviceId router = 0; router < graph.size(); ++router) {
      for (const auto& cable : graph.cables(router)) ports_[channel_to(router, cable.peer)].push_back(cable.port);
    }
  }

  /// Each round spreads entries over parallel cables anew, from another cable on: so do the addresses of a port.
  void begin_round(std::uint32_t round) { std::ranges::fill(entries_, round); }

  /// Routers that the tree leaves out send to the nearest router in it.
  void write(Lid lid, DeviceId destination, TablePort exit, const PathTree& tree) {
    tables_.row(destination)[lid] = exit;
    joined_.assign(1, destination);
    is_in_.assign(graph_.size(), false);
    is_in_[destination] = true;
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      if (tree[router] == no_channel) continue;
      is_in_[router] = true;
      joined_.push_back(router);
      write_entry(lid, router, tree[router]);
    }
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      for (std::uint32_t k = 0; k < channels_.count(joined_[i]); ++k) {
        const auto& away = channels_[channels_.first(joined_[i]) + k];
        if (is_in_[away.to]) continue;
        is_in_[away.to] = true;
        joined_.push_back(away.to);
        write_entry(lid, away.to, away.back);
      }
    }
  }

 private:
  ChannelId channel_to(DeviceId router, DeviceId peer) const {
    const auto neighbours = graph_.neighbours(router);
    const auto found = std::ranges::lower_bound(neighbours, peer, {}, &RouterGraph::Neighbour::router);
    return channels_.first(router) + static_cast<std::uint32_t>(found - neighbours.begin());
  }

  /// Parallel cables alternate.
  void write_entry(Lid lid, DeviceId router, ChannelId channel) {
    const auto& ports = ports_[channel];
    tables_.row(router)[lid] = static_cast<TablePort>(ports[entries_[channel]++ % ports.size()]);
  }

  const RouterGraph& graph_;
  const Channels& channels_;
  ForwardingTables& tables_;
  std::vector<std::vector<PortNumber>> ports_;  // by channel
  std::vector<std::uint32_t> entries_;          // by channel: how many lead to it in this round, and the round
  std::vector<DeviceId> joined_;
  std::vector<bool> is_in_;
};

/// The only coordinate in which two points of a box differ; none if they differ in several, or in none.
std::optional<std::uint32_t> only_difference(std::span<const std::uint32_t> lengths, std::uint32_t a, std::uint32_t b) {
  std::optional<std::uint32_t> found;
  for (auto i = static_cast<std::uint32_t>(lengths.size()); i-- > 0;) {
    if (a % lengths[i] != b % lengths[i]) {
      if (found) return std::nullopt;
      found = i;
    }
    a /= lengths[i];
    b /= lengths[i];
  }
  return found;
}

/// The dimension of each channel of a HyperX, which is a grid if no length exceeds 3; empty for other shapes. Cables
/// that have no place in the shape come last.
std::vector<std::uint32_t> dimensions_of(const Network& network, const Channels& channels) {
  const Shape shape = recognise(network);
  if (shape.kind != ShapeKind::hyperx && shape.kind != ShapeKind::grid) return {};
  std::vector<std::uint32_t> point(network.router_count(), no_id);
  for (std::uint32_t i = 0; i < shape.at.size(); ++i) point[shape.at[i]] = i;
  const auto last = static_cast<std::uint32_t>(shape.dimensions.size());
  std::vector<std::uint32_t> dimensions(channels.size(), last);
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    const std::uint32_t from = point[channels[channel].from];
    const std::uint32_t to = point[channels[channel].to];
    if (from == no_id || to == no_id) continue;
    dimensions[channel] = only_difference(shape.dimensions, from, to).value_or(last);
  }
  return dimensions;
}

}  // namespace

ForwardingTables write_balanced_tables(const Network& network, const LidMap& lids, const RouterGraph& graph,
                                       const SearchControl& control) {
  ForwardingTables tables(network.router_count(), lids.last());
  const auto adapters = adapters_of(network, lids);
  std::vector<std::uint32_t> hosts(graph.size(), 0);
  for (const Adapter& adapter : adapters) ++hosts[adapter.router];
  const Channels channels(graph);
  std::vector<DeviceId> destinations;
  for (const Adapter& adapter : adapters) destinations.push_back(adapter.router);
  BestPaths best = find_best_paths(graph, channels, hosts, destinations, dimensions_of(network, channels), control);
  Writer writer(graph, channels, tables);
  std::uint32_t rounds = 1;
  for (const Adapter& adapter : adapters) rounds = std::max(rounds, adapter.lids.count());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    writer.begin_round(round);
    const auto trees = round == 0 ? std::move(best.trees) : best.paths->to(destinations, round);
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      const auto& [router, exit, range] = adapters[i];
      if (round < range.count()) writer.write(static_cast<Lid>(range.base + round), router, exit, trees[i]);
    }
    for (DeviceId router = 0; router < graph.size(); ++router) {
      const LidRange own = lids.of(network.port_id(router, 0));
      if (own.base == 0 || round >= own.count()) continue;
      writer.write(static_cast<Lid>(own.base + round), router, 0, best.paths->to_router(router));
    }
  }
  return tables;
}

}  // namespace ayatori
