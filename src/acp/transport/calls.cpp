#include "calls.hpp"

#include <algorithm>
#include <cstring>

namespace ayatori::transport {

namespace {

/// Never the same for two calls: the generation distinguishes those that used the same slot.
std::uint64_t id_of_call(std::uint32_t slot, const OutgoingMessage& message) {
  return std::uint64_t{message.generation} << 32 | slot;
}

}  // namespace

Calls::Calls(const Options& options, MessageSlots& slots) : slots_(slots), probe_every_(options.give_up_after / 4) {}

// ---- The caller

std::uint32_t Calls::prepare(std::span<const std::byte> request, Token token) {
  const std::uint32_t slot = slots_.take(MessageKind::call);
  OutgoingMessage& message = slots_[slot];
  const std::uint64_t call_id = id_of_call(slot, message);
  // The callee only repeats the number, so its byte order is ours.
  OperationBytes& bytes = slots_.operation_bytes(slot);
  std::memcpy(bytes.data(), &call_id, sizeof call_id);
  std::ranges::copy(request, bytes.begin() + operation_id_bytes);
  message.bytes = std::span(bytes).first(operation_id_bytes + request.size());
  message.token = token;
  return slot;
}

void Calls::delivered(std::uint32_t slot, Time now) {
  slots_[slot].awaiting = true;
  if (awaiting_++ == 0) next_probe_ = now + probe_every_;
}

std::optional<Calls::Answered> Calls::answered(PeerId from, std::uint64_t call_id) {
  const auto slot = static_cast<std::uint32_t>(call_id);
  if (slot >= slots_.capacity() || id_of_call(slot, slots_[slot]) != call_id) return std::nullopt;
  OutgoingMessage& message = slots_[slot];
  if (message.kind != MessageKind::call || message.to != from || message.answered) return std::nullopt;
  message.answered = true;
  if (message.awaiting) --awaiting_;
  return Answered{message.token, slot, message.awaiting};
}

// ---- The callee

std::optional<std::uint32_t> Calls::reserve_reply(PeerId to, Urgency urgency) {
  if (slots_.free_replies() <= (urgency == Urgency::early ? 1U : 0U)) return std::nullopt;
  const std::uint32_t slot = slots_.take(MessageKind::reply);
  slots_[slot].to = to;
  slots_[slot].unordered = true;  // the caller knows results by their number
  return slot;
}

void Calls::finish_reply(std::uint32_t slot, std::span<const std::byte> call_id, const OperationResult& result) {
  OperationBytes& bytes = slots_.operation_bytes(slot);
  std::ranges::copy(call_id, bytes.begin());
  const auto returned = std::span(result.bytes).first(std::min(result.size, max_operation_bytes));
  std::ranges::copy(returned, bytes.begin() + operation_id_bytes);
  slots_[slot].bytes = std::span(bytes).first(operation_id_bytes + returned.size());
  replies_.push(slot, slots_);
}

}  // namespace ayatori::transport
