#pragma once
/// \file
/// Keeps the dependencies of channels free of cycles while they come and go.
///
/// Packets that arrive by channel a and leave by channel b make b a successor of a (Dally and Seitz, 1987). All
/// channels stand in one order, in which each dependency leads forward. A dependency that would lead backward moves the
/// channels between its ends, and only these (Pearce and Kelly, A Dynamic Topological Sort Algorithm for Directed
/// Acyclic Graphs, 2006); it is refused if it closes a cycle.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "channels.hpp"

namespace ayatori {

class ChannelOrder {
 public:
  static constexpr std::size_t any_effort = std::numeric_limits<std::size_t>::max();

  explicit ChannelOrder(const Channels& channels);

  /// Packets go from `before` to `after`, which leaves the router that `before` reaches. False, and nothing changes, if
  /// packets could then wait for each other in a circle. Also false if more than `effort` channels would have to be
  /// visited to find out. What was added several times must be removed as often.
  bool add(ChannelId before, ChannelId after, std::size_t effort = any_effort);
  void remove(ChannelId before, ChannelId after) { --uses_[index(before, after)]; }

  /// True if packets may go this way without any change of the order.
  [[nodiscard]] bool allows(ChannelId before, ChannelId after) const { return place_[before] < place_[after]; }

 private:
  [[nodiscard]] std::size_t index(ChannelId before, ChannelId after) const {
    return first_[before] + (after - channels_->first((*channels_)[before].to));
  }
  bool find_forward(ChannelId start, ChannelId goal, std::size_t effort);
  void find_backward(ChannelId start, std::uint32_t lowest);
  void reorder();

  const Channels* channels_;
  std::vector<std::size_t> first_;    // by channel: its first entry in uses_
  std::vector<std::uint32_t> uses_;   // by dependency
  std::vector<std::uint32_t> place_;  // by channel: in the order
  std::vector<std::uint8_t> seen_;    // by channel; all 0 between calls
  std::vector<ChannelId> forward_;
  std::vector<ChannelId> backward_;
  std::vector<std::uint32_t> places_;
};

}  // namespace ayatori
