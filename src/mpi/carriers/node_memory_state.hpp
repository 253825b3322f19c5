#pragma once
/// \file
/// What a NodeMemory consists of, for the carriers that use it.

#include <memory>

#include "ayatori/carriers/node_memory.hpp"
#include "backoff.hpp"
#include "lane_receiver.hpp"
#include "lane_sender.hpp"

namespace ayatori {

struct NodeMemory::State {
  State(std::shared_ptr<NodeSegment> node_segment, Rank own_rank, Options own_options);

  void progress() {
    receiver.progress();
    sender.progress();
  }

  /// Between two polls. Error: a process that is waited for has ended: one of those that the sender
  /// and the receiver wait for, or `awaited`.
  [[nodiscard]] Result<> pause(Backoff& backoff, Rank awaited = no_id);

  [[nodiscard]] bool oversubscribed();

  std::shared_ptr<NodeSegment> segment;
  SegmentView view;
  Rank self;
  Options options;
  LaneSender sender;
  LaneReceiver receiver;

 private:
  [[nodiscard]] Result<> check_for_ended_peers(Rank awaited);

  std::uint32_t pauses_ = 0;
  std::uint32_t sleeps_ = 0;
  bool all_joined_ = false;
  bool oversubscribed_ = false;
};

}  // namespace ayatori
