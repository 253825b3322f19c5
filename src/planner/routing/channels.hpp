#pragma once
/// \file
/// The channels of a network: pairs of neighbouring routers, in one direction each. Parallel cables are one channel.

#include <cstdint>
#include <vector>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

using ChannelId = std::uint32_t;
inline constexpr ChannelId no_channel = no_id;

class Channels {
 public:
  struct Channel {
    DeviceId from = no_id;
    DeviceId to = no_id;
    std::uint32_t cables = 0;
    ChannelId back = no_channel;  ///< the same cables in the other direction
  };

  explicit Channels(const RouterGraph& graph);

  [[nodiscard]] std::size_t size() const { return channels_.size(); }
  [[nodiscard]] std::size_t router_count() const { return first_.size() - 1; }
  [[nodiscard]] const Channel& operator[](ChannelId channel) const { return channels_[channel]; }

  /// The channels that leave a router are those from first(router) up to first(router + 1).
  [[nodiscard]] ChannelId first(DeviceId router) const { return first_[router]; }
  [[nodiscard]] std::uint32_t count(DeviceId router) const { return first_[router + 1] - first_[router]; }

 private:
  std::vector<Channel> channels_;  // by router that they leave, then by the one that they reach
  std::vector<ChannelId> first_;   // by router, and the end
};

}  // namespace ayatori
