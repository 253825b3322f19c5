#include "channel_loads.hpp"

#include <algorithm>

namespace ayatori {

ChannelLoads::ChannelLoads(const Channels& channels, std::span<const std::uint32_t> hosts)
    : channels_(channels), hosts_(hosts), pairs_(channels.size(), 0), costs_(channels.size(), 0) {
  for (DeviceId router = 0; router < hosts.size(); ++router) {
    if (hosts[router] > 0) senders_.push_back(router);
  }
}

void ChannelLoads::find_cost(ChannelId channel) {
  const double load = static_cast<double>(pairs_[channel]) / channels_[channel].cables;
  double cost = 1;
  for (int i = 1; i < exponent_; ++i) cost *= load;
  costs_[channel] = cost;
}

void ChannelLoads::clear(int exponent) {
  std::ranges::fill(pairs_, 0);
  set_exponent(exponent);
}

void ChannelLoads::set_exponent(int exponent) {
  exponent_ = exponent;
  for (ChannelId channel = 0; channel < channels_.size(); ++channel) find_cost(channel);
}

double ChannelLoads::sum() const {
  double sum = 0;
  for (ChannelId channel = 0; channel < channels_.size(); ++channel) sum += share_of_sum(channel);
  return sum;
}

double ChannelLoads::change(const PathTree& tree, DeviceId destination, std::int64_t addresses) {
  double growth = 0;
  for (const DeviceId sender : senders_) {
    const std::int64_t pairs = addresses * hosts_[sender];
    for (DeviceId router = sender; router != destination; router = channels_[tree[router]].to) {
      const ChannelId channel = tree[router];
      growth -= share_of_sum(channel);
      pairs_[channel] += pairs;
      find_cost(channel);
      growth += share_of_sum(channel);
    }
  }
  return growth;
}

}  // namespace ayatori
