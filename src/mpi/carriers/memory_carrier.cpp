#include "ayatori/carriers/memory_carrier.hpp"

#include <algorithm>
#include <limits>

#include "node_memory_state.hpp"

namespace ayatori {

namespace {

/// Polls for a message before its process does anything else: some microseconds, if no other process needs the core.
constexpr int max_polls = 200;

}  // namespace

struct MemoryCarrier::State {
  Completions completions;
  Completions exchanged;
};

MemoryCarrier::MemoryCarrier(NodeMemory& memory, std::span<const NodeParticipant> participants, std::uint64_t context)
    : memory_(*memory.state_),
      participants_(participants.begin(), participants.end()),
      context_(context),
      state_(std::make_unique<State>()) {
  std::ranges::sort(participants_, {}, &NodeParticipant::participant);
}

MemoryCarrier::~MemoryCarrier() {
  for (const Completions* const owner : {&state_->completions, &state_->exchanged}) {
    memory_.sender.forget(owner);
    memory_.receiver.forget(owner);
  }
}

Rank MemoryCarrier::node_rank_of(Rank participant) const {
  // On a communicator of one node all participants are here, in order.
  if (participant < participants_.size() && participants_[participant].participant == participant) {
    return participants_[participant].node_rank;
  }
  const auto found = std::ranges::lower_bound(participants_, participant, {}, &NodeParticipant::participant);
  return found != participants_.end() && found->participant == participant ? found->node_rank : no_id;
}

Result<Rank> MemoryCarrier::peer_of(const CarriedMessage& message) const {
  const Rank peer = node_rank_of(message.peer);
  if (peer == no_id) return fail("participant {} is not on this node", message.peer);
  if (message.stream > std::numeric_limits<std::uint16_t>::max()) return fail("stream {} is too high", message.stream);
  return peer;
}

Result<> MemoryCarrier::post_send(RequestId request, const CarriedMessage& message) {
  const auto peer = peer_of(message);
  if (!peer) return Failure(peer.error());
  memory_.sender.post(*peer, {&state_->completions, request, context_, message});
  return {};
}

Result<> MemoryCarrier::post_receive(RequestId request, const CarriedMessage& message) {
  const auto peer = peer_of(message);
  if (!peer) return Failure(peer.error());
  memory_.receiver.post(*peer, {&state_->completions, request, context_, message});
  return {};
}

Result<std::size_t> MemoryCarrier::test_some(std::span<RequestId> completed) {
  memory_.progress();
  return state_->completions.take(completed);
}

Result<std::size_t> MemoryCarrier::wait_some(std::span<RequestId> completed) {
  memory_.progress();
  Backoff backoff;
  while (state_->completions.empty()) {
    const auto paused = memory_.pause(backoff);
    memory_.progress();
    if (!paused && state_->completions.empty()) return Failure(paused.error());
  }
  return state_->completions.take(completed);
}

bool MemoryCarrier::can_exchange(std::span<const CarriedMessage> messages) const {
  return std::ranges::all_of(messages, [this](const CarriedMessage& message) {
    return message.bytes <= memory_.options.eager_limit && reaches(message.peer);
  });
}

/// No order of receives can make anybody wait for ever: sends that find no room are left to the sender, which goes on
/// with them whenever this process waits.
Result<bool> MemoryCarrier::exchange(std::span<const CarriedMessage> receives, std::span<const CarriedMessage> sends) {
  if (!memory_.receiver.idle() || !memory_.sender.idle()) return false;
  if (!can_exchange(receives) || !can_exchange(sends)) return false;
  std::size_t posted = 0;
  for (const CarriedMessage& message : sends) {
    const Rank peer = node_rank_of(message.peer);
    if (memory_.sender.send_at_once(peer, context_, message)) continue;
    memory_.sender.post(peer, {&state_->exchanged, 0, context_, message});
    ++posted;
  }
  memory_.sender.forget_contents();
  for (const CarriedMessage& message : receives) {
    if (auto taken = take(message); !taken) return Failure(taken.error());
  }
  if (auto finished = finish_exchange(posted + receives.size()); !finished) return Failure(finished.error());
  return true;
}

/// Waits for the message and takes it.
Result<> MemoryCarrier::take(const CarriedMessage& message) {
  const Rank peer = node_rank_of(message.peer);
  const Posted posted{&state_->exchanged, 0, context_, message};
  if (memory_.receiver.take_at_once(peer, posted)) return {};
  for (int poll = memory_.oversubscribed() ? max_polls : 0; poll < max_polls; ++poll) {
    pause_core();
    if (memory_.receiver.take_at_once(peer, posted)) return {};
  }
  Backoff backoff;
  while (true) {
    const auto paused = memory_.pause(backoff, peer);
    memory_.progress();
    if (memory_.receiver.take_at_once(peer, posted)) return {};
    if (!paused) return Failure(paused.error());
  }
}

/// Waits until so many messages of the exchange are complete.
Result<> MemoryCarrier::finish_exchange(std::size_t posted) {
  Backoff backoff;
  while (state_->exchanged.count() < posted) {
    const auto paused = memory_.pause(backoff);
    memory_.progress();
    if (!paused && state_->exchanged.count() < posted) return Failure(paused.error());
  }
  return state_->exchanged.clear();
}

}  // namespace ayatori
