#include "channels.hpp"

#include <algorithm>

namespace ayatori {

Channels::Channels(const RouterGraph& graph) {
  first_.reserve(graph.size() + 1);
  for (DeviceId router = 0; router < graph.size(); ++router) {
    first_.push_back(static_cast<ChannelId>(channels_.size()));
    for (const auto& neighbour : graph.neighbours(router)) {
      channels_.push_back({router, neighbour.router, neighbour.cables, no_channel});
    }
  }
  first_.push_back(static_cast<ChannelId>(channels_.size()));
  for (Channel& channel : channels_) {
    const auto leaving = std::span(channels_).subspan(first_[channel.to], count(channel.to));
    const auto back = std::ranges::lower_bound(leaving, channel.from, {}, &Channel::to);
    channel.back = static_cast<ChannelId>(&*back - channels_.data());
  }
}

}  // namespace ayatori
