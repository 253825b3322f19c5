#pragma once
/// \file
/// The paths from all routers to one destination, and how they grow.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "channels.hpp"

namespace ayatori {

/// By router: the channel by which it sends packets to one destination. no_channel at the destination, and at routers
/// that no packet of a host passes.
using PathTree = std::vector<ChannelId>;

/// By channel.
struct Weights {
  std::span<const double> costs;
  std::span<const std::uint8_t> lengths;  ///< 1 or 2; empty: all 1
  [[nodiscard]] std::uint32_t length(ChannelId channel) const { return lengths.empty() ? 1 : lengths[channel]; }
};

/// Grows one tree after the other. Each thread has its own.
class TreeGrower {
 public:
  /// `hosts`: by router, how many hosts send from it.
  TreeGrower(const Channels& channels, std::span<const std::uint32_t> hosts)
      : channels_(channels), hosts_(hosts), found_(channels.router_count()), passed_(channels.router_count()) {}

  /// Makes `tree` from the destination outward. Each router joins by the shortest path that it may take, and among
  /// those by the one of least cost: the sum of `costs` over its channels. It may join by channel a at a router that
  /// goes on by channel b if allow(a, b), which is asked from the best on. False if a router with hosts can't join.
  template <typename Allow>
  bool grow(DeviceId destination, const Weights& weights, PathTree& tree, Allow&& allow) {
    begin(destination, tree);
    Layers layers;
    for (std::uint32_t length = 1; layers.previous < joined_.size(); ++length) {
      reach_from(layers, length, weights);
      layers = {layers.last, joined_.size()};
      for (const DeviceId router : reached_) {
        Found& found = found_[router];
        const auto may_join = [&](ChannelId channel) {
          const ChannelId after = tree[channels_[channel].to];
          return after == no_channel || allow(channel, after);
        };
        while (found.channel != no_channel && !may_join(found.channel)) find_next_best(router, length, weights);
        if (found.channel == no_channel) continue;
        tree[router] = found.channel;
        found.length = length;
        joined_.push_back(router);
      }
    }
    return all_hosts_joined();
  }

  /// Takes the routers that no host sends through out of the tree that was grown last. For each that joined by channel
  /// a at one that goes on by channel b: release(a, b).
  template <typename Release>
  void prune(PathTree& tree, Release&& release) {
    passed_.assign(channels_.router_count(), 0);
    for (auto router = joined_.rbegin(); *router != joined_.front(); ++router) {
      const ChannelId channel = tree[*router];
      const DeviceId next = channels_[channel].to;
      if (passed_[*router] != 0 || hosts_[*router] > 0) {
        passed_[next] = 1;
      } else {
        if (tree[next] != no_channel) release(channel, tree[next]);
        tree[*router] = no_channel;
      }
    }
  }

 private:
  static constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();

  /// What is known of a router's path.
  struct Found {
    std::uint32_t length = far;  ///< far until it has joined
    ChannelId channel = no_channel;
    double cost = 0;
  };
  /// Where the routers of the last two lengths begin in joined_.
  struct Layers {
    std::size_t previous = 0;
    std::size_t last = 0;
  };

  void begin(DeviceId destination, PathTree& tree);
  void reach_from(const Layers& layers, std::uint32_t length, const Weights& weights);
  void find_next_best(DeviceId router, std::uint32_t length, const Weights& weights);
  [[nodiscard]] bool all_hosts_joined() const;

  const Channels& channels_;
  std::span<const std::uint32_t> hosts_;
  std::vector<Found> found_;          // by router
  std::vector<std::uint8_t> passed_;  // by router: some host sends through it
  std::vector<DeviceId> joined_;      // nearest first
  std::vector<DeviceId> reached_;     // outside of the tree, next to those that joined last
};

}  // namespace ayatori
