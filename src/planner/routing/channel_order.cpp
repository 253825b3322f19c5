#include "channel_order.hpp"

#include <algorithm>
#include <numeric>

namespace ayatori {

ChannelOrder::ChannelOrder(const Channels& channels)
    : channels_(&channels), place_(channels.size()), seen_(channels.size(), 0) {
  first_.reserve(channels.size());
  std::size_t count = 0;
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    first_.push_back(count);
    count += channels.count(channels[channel].to);
  }
  uses_.assign(count, 0);
  std::iota(place_.begin(), place_.end(), 0);
}

bool ChannelOrder::add(ChannelId before, ChannelId after, std::size_t effort) {
  std::uint32_t& uses = uses_[index(before, after)];
  if (uses == 0 && place_[before] > place_[after]) {
    if ((*channels_)[before].back == after) return false;
    const bool refused = !find_forward(after, before, effort);
    if (!refused) {
      find_backward(before, place_[after]);
      reorder();
    }
    for (const ChannelId channel : forward_) seen_[channel] = 0;
    for (const ChannelId channel : backward_) seen_[channel] = 0;
    forward_.clear();
    backward_.clear();
    if (refused) return false;
  }
  ++uses;
  return true;
}

/// Collects what follows `start` and stands before `goal`. False if it leads to `goal`, or to more than `effort`.
bool ChannelOrder::find_forward(ChannelId start, ChannelId goal, std::size_t effort) {
  seen_[start] = 1;
  forward_.push_back(start);
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    const DeviceId router = (*channels_)[forward_[i]].to;
    const std::uint32_t* uses = &uses_[first_[forward_[i]]];
    for (std::uint32_t k = 0; k < channels_->count(router); ++k) {
      const ChannelId next = channels_->first(router) + k;
      if (uses[k] == 0 || seen_[next] != 0) continue;
      if (next == goal || forward_.size() >= effort) return false;
      if (place_[next] > place_[goal]) continue;
      seen_[next] = 1;
      forward_.push_back(next);
    }
  }
  return true;
}

/// Collects what leads to `start` and stands at `lowest` or after it.
void ChannelOrder::find_backward(ChannelId start, std::uint32_t lowest) {
  seen_[start] = 1;
  backward_.push_back(start);
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    const ChannelId here = backward_[i];
    const DeviceId router = (*channels_)[here].from;
    for (std::uint32_t k = 0; k < channels_->count(router); ++k) {
      const ChannelId arriving = (*channels_)[channels_->first(router) + k].back;
      if (place_[arriving] < lowest || seen_[arriving] != 0 || uses_[index(arriving, here)] == 0) continue;
      seen_[arriving] = 1;
      backward_.push_back(arriving);
    }
  }
}

/// Gives the places of all collected channels to them anew: first to those that lead to the dependency.
void ChannelOrder::reorder() {
  const auto by_place = [&](ChannelId channel) { return place_[channel]; };
  std::ranges::sort(backward_, {}, by_place);
  std::ranges::sort(forward_, {}, by_place);
  for (const ChannelId channel : backward_) places_.push_back(place_[channel]);
  for (const ChannelId channel : forward_) places_.push_back(place_[channel]);
  std::ranges::sort(places_);
  std::size_t next = 0;
  for (const ChannelId channel : backward_) place_[channel] = places_[next++];
  for (const ChannelId channel : forward_) place_[channel] = places_[next++];
  places_.clear();
}

}  // namespace ayatori
