#pragma once
/// \file
/// Calls: from the request to its reply, which travels in a lane of its own. A call's message keeps its slot until the
/// reply is here.
///
///     caller   prepare() ── request delivered ──▶ delivered() ── reply comes ──▶ answered()
///     callee   reserve_reply() ── the operation has run ──▶ finish_reply() ── a context is free ──▶ pop_reply()
///
/// Knows no flows and sends nothing: Sender does.

#include <optional>
#include <span>
#include <vector>

#include "ayatori/transport/application.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/transport/queues.hpp"
#include "message_slots.hpp"

namespace ayatori::transport {

class Calls {
 public:
  Calls(const Options& options, MessageSlots& slots);

  // ---- The caller

  /// A slot with the request, of at most max_operation_bytes, for which there is room. The request is copied.
  [[nodiscard]] std::uint32_t prepare(std::span<const std::byte> request, Token token);

  /// The request in this slot is acknowledged, and its reply has not come.
  void delivered(std::uint32_t slot, Time now);

  /// The reply to a call has come. Its token; nothing if we did not call this peer, or if the call was answered or has
  /// failed. `slot_free`: the request is acknowledged, and the caller gives the slot back.
  struct Answered {
    Token token = 0;
    std::uint32_t slot = no_id;
    bool slot_free = false;
  };
  [[nodiscard]] std::optional<Answered> answered(PeerId from, std::uint64_t call_id);

  /// Ends the wait for the replies of a peer that is lost: calls fail(slot) for each, which gives the slot back.
  template <typename Fail>
  void fail_awaiting(PeerId peer, Fail fail) {
    for (std::uint32_t slot = 0; awaiting_ > 0 && slot < slots_.capacity(); ++slot) {
      if (!slots_[slot].awaiting || slots_[slot].to != peer) continue;
      --awaiting_;
      fail(slot);
    }
  }

  [[nodiscard]] bool awaits_replies() const { return awaiting_ > 0; }  ///< to requests that are acknowledged

  /// When to ask the peers that owe replies whether they are alive: their requests are acknowledged, so no timer of a
  /// flow notices that such a peer is gone.
  [[nodiscard]] Time next_probe() const { return awaiting_ > 0 ? next_probe_ : never; }

  /// Calls probe(peer) for each reply that is owed, if that is due.
  template <typename Probe>
  void probe_if_due(Time now, Probe probe) {
    if (awaiting_ == 0 || now < next_probe_) return;
    next_probe_ = now + probe_every_;
    for (std::uint32_t slot = 0; slot < slots_.capacity(); ++slot) {
      if (slots_[slot].awaiting) probe(slots_[slot].to);
    }
  }

  // ---- The callee

  /// A slot for the reply to a call, before the call may be accepted; nothing if there is none. The last one is kept
  /// for a call that others wait for.
  [[nodiscard]] std::optional<std::uint32_t> reserve_reply(PeerId to, Urgency urgency);

  /// The operation has run: the reply waits for a context.
  void finish_reply(std::uint32_t slot, std::span<const std::byte> call_id, const OperationResult& result);

  /// Replies that wait for a context, the oldest first.
  [[nodiscard]] bool has_replies() const { return !replies_.empty(); }
  [[nodiscard]] PeerId next_reply_to() const { return slots_[replies_.head].to; }
  [[nodiscard]] std::uint32_t pop_reply() { return replies_.pop(slots_); }

 private:
  MessageSlots& slots_;
  SlotQueue replies_;
  Duration probe_every_;
  Time next_probe_{};
  std::uint32_t awaiting_ = 0;
};

}  // namespace ayatori::transport
