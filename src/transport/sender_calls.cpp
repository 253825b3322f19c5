// The fourth part of Sender: calls, from the request to its reply, which travels in a lane of its own.

#include <algorithm>
#include <cstring>

#include "sender.hpp"

namespace ayatori::transport {

namespace {

std::uint64_t id_of_call(std::uint32_t slot, const OutgoingMessage& message) {
  return std::uint64_t{message.generation} << 32 | slot;
}

}  // namespace

// ---- Who calls

bool Sender::call(Time now, PeerId to, std::span<const std::byte> request, Token token) {
  if (request.size() > max_operation_bytes) return false;
  const auto id = room_for(now, to, request.size());
  if (!id) return false;
  const std::uint32_t slot = *messages_.take();
  OutgoingMessage& message = messages_[slot];
  const std::uint64_t call_id = id_of_call(slot, message);
  // Only this process reads the number again: its byte order is nobody's business.
  OperationBytes& bytes = messages_.operation_bytes(slot);
  std::memcpy(bytes.data(), &call_id, sizeof call_id);
  std::ranges::copy(request, bytes.begin() + operation_id_bytes);
  message.bytes = std::span(bytes).first(operation_id_bytes + request.size());
  message.token = token;
  message.kind = MessageKind::call;
  enqueue(*id, slot);
  return true;
}

std::optional<Token> Sender::answered(PeerId from, std::uint64_t call_id) {
  const auto slot = static_cast<std::uint32_t>(call_id);
  if (!messages_.holds(slot) || id_of_call(slot, messages_[slot]) != call_id) return std::nullopt;
  OutgoingMessage& message = messages_[slot];
  if (message.kind != MessageKind::call || message.to != from || message.answered) return std::nullopt;
  message.answered = true;
  const Token token = message.token;
  if (message.awaiting) {
    --awaiting_;
    give_back(slot);
  }
  return token;
}

void Sender::fail_awaiting(PeerId peer) {
  for (std::uint32_t slot = 0; awaiting_ > 0 && slot < messages_.capacity(); ++slot) {
    if (!messages_[slot].awaiting || messages_[slot].to != peer) continue;
    shared_.events.push_back({.kind = Event::Kind::failed, .token = messages_[slot].token});
    --awaiting_;
    give_back(slot);
  }
}

/// Who owes a reply may be gone: nothing else would tell, for its acknowledgements have all come.
void Sender::probe_awaited(Time now) {
  next_probe_ = now + shared_.options.give_up_after / 4;
  for (std::uint32_t slot = 0; slot < messages_.capacity(); ++slot) {
    if (!messages_[slot].awaiting) continue;
    const auto id = open(now, {messages_[slot].to, Lane::messages});
    // Who is asked already keeps its timer, which counts the attempts.
    if (!id || flows_[*id].probing) continue;
    flows_[*id].probing = true;
    flows_[*id].ask_due = true;
    ready_.push(*id);
    arm(*id, now);
  }
}

// ---- Who is called

std::optional<std::uint32_t> Sender::promise_reply(PeerId to, Urgency urgency) {
  if (replies_ + (urgency == Urgency::early ? 1 : 0) >= shared_.options.replies) return std::nullopt;
  ++replies_;
  const std::uint32_t slot = *messages_.take();
  messages_[slot].to = to;
  messages_[slot].kind = MessageKind::reply;
  messages_[slot].unordered = true;  // results need no turn: the caller knows them by their number
  return slot;
}

void Sender::reply(Time now, std::uint32_t slot, std::span<const std::byte> call_id, const OperationResult& result) {
  OutgoingMessage& message = messages_[slot];
  OperationBytes& bytes = messages_.operation_bytes(slot);
  std::ranges::copy(call_id, bytes.begin());
  const auto returned = std::span(result.bytes).first(std::min(result.size, max_operation_bytes));
  std::ranges::copy(returned, bytes.begin() + operation_id_bytes);
  message.bytes = std::span(bytes).first(operation_id_bytes + returned.size());
  waiting_replies_.push(slot, messages_);
  send_waiting_replies(now);
}

void Sender::send_waiting_replies(Time now) {
  while (!waiting_replies_.empty()) {
    const auto id = open(now, {messages_[waiting_replies_.head].to, Lane::replies});
    if (!id) return;
    enqueue(*id, waiting_replies_.pop(messages_));
  }
}

}  // namespace ayatori::transport
