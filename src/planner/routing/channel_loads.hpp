#pragma once
/// \file
/// How many pairs of hosts and addresses pass each channel, and what that costs.
///
/// Loads are good if the sum of cables * (load / cables)^e over all channels is small. With exponent e = 2 each channel
/// counts; the higher the exponent, the more the busiest decide.

#include <cstdint>
#include <span>
#include <vector>

#include "path_tree.hpp"

namespace ayatori {

class ChannelLoads {
 public:
  /// `hosts`: by router, how many hosts send from it.
  ChannelLoads(const Channels& channels, std::span<const std::uint32_t> hosts);

  /// Adds the pairs of all hosts and so many addresses at the destination. Returns by how much the sum grows.
  double add(const PathTree& tree, DeviceId destination, std::int64_t addresses) {
    return change(tree, destination, addresses);
  }
  /// Takes them away. Returns by how much the sum falls.
  double remove(const PathTree& tree, DeviceId destination, std::int64_t addresses) {
    return -change(tree, destination, -addresses);
  }

  /// Nothing passes any channel.
  void clear(int exponent);
  void set_exponent(int exponent);
  [[nodiscard]] double sum() const;

  /// By channel: what one more pair costs, (load / cables)^(e - 1).
  [[nodiscard]] std::span<const double> costs() const { return costs_; }

 private:
  double change(const PathTree& tree, DeviceId destination, std::int64_t addresses);
  void find_cost(ChannelId channel);
  [[nodiscard]] double share_of_sum(ChannelId channel) const {
    return costs_[channel] * static_cast<double>(pairs_[channel]);
  }

  const Channels& channels_;
  std::span<const std::uint32_t> hosts_;
  std::vector<DeviceId> senders_;    // routers with hosts
  std::vector<std::int64_t> pairs_;  // by channel
  std::vector<double> costs_;
  int exponent_ = 2;
};

}  // namespace ayatori
