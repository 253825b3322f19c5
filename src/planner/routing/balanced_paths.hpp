#pragma once
/// \file
/// Paths for networks that are no trees: short, on one virtual lane without deadlock, and evenly spread.
///
/// Each destination has a tree of paths (PathTree).
///
/// 1. One tree per router settles the order of channels (ChannelOrder). These trees begin as shortest paths, or as
///    up*/down* paths (Schroeder et al., Autonet, 1991), or go through the dimensions of a HyperX one by one. The last
///    two never close a cycle. Then one tree after the other grows anew, by the least loaded channels that close no
///    cycle with all other trees, and is kept if the loads improve.
/// 2. The order takes up the dependencies of all other shortest paths between hosts that close no cycle.
/// 3. Each address gets a tree of its own in this order. Again one after the other grows anew. The paths by dimensions
///    are even already: there, base LIDs keep the trees of step 1.
///
/// Several drafts, which begin differently, compete by the bandwidth of random jobs (balanced_drafts.hpp).

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "ayatori/network/router_graph.hpp"
#include "channel_loads.hpp"
#include "channel_order.hpp"
#include "channels.hpp"
#include "path_tree.hpp"

namespace ayatori {

class BalancedPaths {
 public:
  struct Start {
    int exponent = 2;                                ///< of ChannelLoads, while trees grow
    DeviceId top = no_id;                            ///< of up*/down* paths; no_id: others
    std::span<const std::uint32_t> dimensions = {};  ///< of channels; empty: shortest or up*/down* paths
  };

  /// `hosts`: by router, how many channel adapters are attached to it. The graph must be connected. All arguments must
  /// outlive this. Once `control` is stopped, no tree is improved any more.
  BalancedPaths(const RouterGraph& graph, const Channels& channels, std::span<const std::uint32_t> hosts, Start start,
                const SearchControl& control = {});

  /// False if some router could not join a tree without closing a cycle, or by rising dimensions; true with a top.
  [[nodiscard]] bool complete() const { return complete_; }
  /// True if no tree of hosts wanted a dependency that closes a cycle: then no other start can do better.
  [[nodiscard]] bool unrestricted() const { return unrestricted_; }

  /// The tree of packets to the router itself.
  [[nodiscard]] const PathTree& to_router(DeviceId router) const { return trees_[router]; }

  /// A tree for each of these routers, which may repeat: one for each address of a host there. The trees of several
  /// calls have no cycle together.
  [[nodiscard]] std::vector<PathTree> to(std::span<const DeviceId> destinations, std::uint32_t round);

 private:
  /// An address, or all those of a router's hosts together, and its tree.
  struct Destination {
    DeviceId router = no_id;
    std::uint32_t addresses = 1;
    PathTree* tree = nullptr;
  };
  /// Whether the order of channels changes when a tree wants a dependency that leads backward.
  enum class Order : std::uint8_t { changes, stands };

  bool begin_with_shortest_paths();
  bool begin_with_rising_dimensions();
  void begin_with_up_down();
  void add_other_dependencies();
  bool add_routers_without_hosts();
  void admit_other_shortest_paths();

  bool grow(DeviceId destination, PathTree& tree, Order order);
  bool grow_in_changing_order(DeviceId destination, PathTree& tree);
  void draw_lengths(std::uint32_t round, std::size_t destination);
  void add_dependencies(const PathTree& tree);
  void remove_dependencies(const PathTree& tree);
  double improve_tree(const Destination& destination, Order order);
  void improve(std::span<const Destination> destinations, Order order);

  const RouterGraph& graph_;
  const Channels& channels_;
  std::span<const std::uint32_t> hosts_;
  Start start_;
  SearchControl control_;
  ChannelOrder order_;
  std::size_t effort_;
  TreeGrower grower_;
  ChannelLoads loads_;
  std::vector<PathTree> trees_;       // to each router
  std::vector<Destination> routers_;  // those with hosts
  bool complete_ = true;
  bool unrestricted_ = true;
  std::vector<std::uint8_t> lengths_;  // by channel; empty: all 1
  PathTree other_;
};

}  // namespace ayatori
