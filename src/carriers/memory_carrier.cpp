#include "ayatori/carriers/memory_carrier.hpp"

#include <algorithm>
#include <limits>

#include "node_memory_state.hpp"

namespace ayatori {

struct MemoryCarrier::State {
  Completions completions;
};

MemoryCarrier::MemoryCarrier(NodeMemory& memory, std::span<const NodeParticipant> participants, std::uint64_t context)
    : memory_(*memory.state_),
      participants_(participants.begin(), participants.end()),
      context_(context),
      state_(std::make_unique<State>()) {
  std::ranges::sort(participants_, {}, &NodeParticipant::participant);
}

MemoryCarrier::~MemoryCarrier() {
  memory_.sender.forget(&state_->completions);
  memory_.receiver.forget(&state_->completions);
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

}  // namespace ayatori
