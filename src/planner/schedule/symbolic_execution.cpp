#include "symbolic_execution.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/schedule/postcondition.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t no_stream = no_id;
constexpr std::uint32_t several_streams = no_id - 1;

}  // namespace

template <typename... Args>
Failure SymbolicExecution::wrong(std::size_t thread, fmt::format_string<Args...> what, Args&&... args) const {
  return fail("participant {}, stream {}, step {}: {}", participant_of(thread), stream_of(thread),
              threads_[thread].step, fmt::format(what, std::forward<Args>(args)...));
}

SymbolicExecution::SymbolicExecution(const Schedule& schedule, const VerificationLimits& limits)
    : schedule_(schedule),
      streams_(schedule.stream_count()),
      slots_(schedule.slot_count()),
      participants_(schedule.participant_count()),
      max_work_(limits.work),
      is_barrier_(schedule.call().collective == Collective::barrier) {
  const std::size_t all_slots = std::size_t{participants_} * slots_;
  values_.assign(all_slots, Contributions::nothing);
  writer_.assign(all_slots, no_stream);
  reader_.assign(all_slots, no_stream);
  sent_in_.assign(all_slots, 0);
  received_in_.assign(all_slots, 0);
  threads_.resize(std::size_t{participants_} * streams_);
  fill_slots();
}

void SymbolicExecution::fill_slots() {
  for (Rank rank = 0; rank < schedule_.call().ranks; ++rank) {
    const SlotRange own = slots_at_start(schedule_, rank);
    for (Slot slot = own.first; slot < std::min(own.first + own.count, slots_); ++slot) {
      values_[index(rank, slot)] = contributions_.one(rank, slot);
    }
  }
  if (!is_barrier_) return;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    threads_[thread].heard.assign(participants_, false);
    threads_[thread].heard[participant_of(thread)] = true;
  }
}

Result<> SymbolicExecution::run() {
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    if (auto ok = begin_step(thread); !ok) return ok;
  }
  while (!ready_.empty()) {
    const std::size_t thread = ready_.back();
    ready_.pop_back();
    if (auto ok = end_step(thread); !ok) return ok;
    ++threads_[thread].step;
    if (auto ok = begin_step(thread); !ok) return ok;
  }
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    if (threads_[thread].open > 0) return deadlock();
  }
  return {};
}

/// Idle steps are passed over at once.
Result<> SymbolicExecution::begin_step(std::size_t thread) {
  Thread& self = threads_[thread];
  const std::size_t steps = schedule_.step_count(stream_of(thread));
  for (; self.step < steps; ++self.step) {
    if (auto ok = spend(1); !ok) return ok;
    schedule_.actions(participant_of(thread), stream_of(thread), self.step, self.actions);
    if (self.actions.idle()) continue;
    if (auto ok = check_step(thread); !ok) return ok;
    return post(thread);
  }
  return {};
}

Result<> SymbolicExecution::check_step(std::size_t thread) {
  ++instance_;
  const StepActions& actions = threads_[thread].actions;
  if (auto ok = check_ranges(thread, actions.sends, false); !ok) return ok;
  return check_ranges(thread, actions.receives, true);
}

Result<> SymbolicExecution::check_ranges(std::size_t thread, std::span<const Transfer> transfers, bool receiving) {
  const Rank self = participant_of(thread);
  for (const Transfer& transfer : transfers) {
    if (transfer.peer >= participants_)
      return wrong(thread, "a message with {}, which does not take part", transfer.peer);
    if (transfer.peer == self) return wrong(thread, "a message with itself");
    std::uint64_t slots = 0;
    for (std::uint32_t i = 0; i < transfer.range_count; ++i) {
      const SlotRange range = threads_[thread].actions.ranges[transfer.first_range + i];
      if (auto ok = touch(thread, range, receiving); !ok) return ok;
      slots += range.count;
      if (slots > slots_) return wrong(thread, "a message of more than the {} slots that there are", slots_);
      for (Slot slot = range.first; slot < range.first + range.count; ++slot) {
        const std::size_t at = index(self, slot);
        if (receiving && sent_in_[at] == instance_)
          return wrong(thread, "slot {} is sent and received into at once", slot);
        if (receiving && received_in_[at] == instance_) return wrong(thread, "slot {} is received into twice", slot);
        (receiving ? received_in_ : sent_in_)[at] = instance_;
      }
    }
  }
  return {};
}

/// A slot that is read must hold something, and streams must not share slots that one of them writes.
Result<> SymbolicExecution::touch(std::size_t thread, SlotRange slots, bool write) {
  if (slots.first > slots_ || slots.count > slots_ - slots.first) {
    return wrong(thread, "slots {} ... {}, but there are {}", slots.first, std::uint64_t{slots.first} + slots.count - 1,
                 slots_);
  }
  if (auto ok = spend(slots.count); !ok) return ok;
  const std::uint32_t stream = stream_of(thread);
  for (Slot slot = slots.first; slot < slots.first + slots.count; ++slot) {
    const std::size_t at = index(participant_of(thread), slot);
    if (!write && values_[at] == Contributions::nothing) {
      return wrong(thread, "slot {} is read, but nothing was written to it", slot);
    }
    std::uint32_t& user = write ? writer_[at] : reader_[at];
    if (write && user != no_stream && user != stream) return wrong(thread, "stream {} writes slot {}, too", user, slot);
    user = user == no_stream || user == stream ? stream : several_streams;
    const std::uint32_t other = write ? reader_[at] : writer_[at];
    if (other != no_stream && other != stream) {
      return wrong(thread, "slot {} is {} here and {} by another stream", slot, write ? "written" : "read",
                   write ? "read" : "written");
    }
  }
  return {};
}

namespace {

/// The first transfer with `peer` that has not met its other end; the number of transfers if there is none.
std::size_t first_open(std::span<const Transfer> transfers, const std::vector<bool>& met, Rank peer) {
  std::size_t i = 0;
  while (i < met.size() && (met[i] || transfers[i].peer != peer)) ++i;
  return i < met.size() ? i : transfers.size();
}

}  // namespace

/// A thread ends its step when all of its messages have met their other ends. So only what two threads post in their
/// present steps can meet, in the order in which it is posted.
Result<> SymbolicExecution::post(std::size_t thread) {
  Thread& self = threads_[thread];
  const std::uint32_t stream = stream_of(thread);
  const Rank rank = participant_of(thread);
  const auto& sends = self.actions.sends;
  const auto& receives = self.actions.receives;
  self.open = sends.size() + receives.size();
  self.sent.assign(sends.size(), false);
  self.received.assign(receives.size(), false);
  self.arrived.resize(receives.size());
  if (is_barrier_) self.heard_next = self.heard;
  if (self.open == 0) ready_.push_back(thread);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const std::size_t peer = thread_of(sends[i].peer, stream);
    const auto& theirs = threads_[peer].actions.receives;
    const std::size_t match = first_open(theirs, threads_[peer].received, rank);
    if (auto ok = spend(1 + match); !ok) return ok;
    if (match == theirs.size()) continue;
    if (auto ok = meet(thread, i, peer, match); !ok) return ok;
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    const std::size_t peer = thread_of(receives[i].peer, stream);
    const auto& theirs = threads_[peer].actions.sends;
    const std::size_t match = first_open(theirs, threads_[peer].sent, rank);
    if (auto ok = spend(1 + match); !ok) return ok;
    if (match == theirs.size()) continue;
    if (auto ok = meet(peer, match, thread, i); !ok) return ok;
  }
  return {};
}

std::vector<Slot> SymbolicExecution::slots_in(const StepActions& actions, const Transfer& transfer) const {
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < transfer.range_count; ++i) {
    const SlotRange& range = actions.ranges[transfer.first_range + i];
    for (std::uint32_t k = 0; k < range.count; ++k) slots.push_back(range.first + k);
  }
  return slots;
}

/// What is sent can be read now: nothing may write it before the sender's step has ended.
Result<> SymbolicExecution::meet(std::size_t sender, std::size_t send, std::size_t receiver, std::size_t receive) {
  Thread& from = threads_[sender];
  Thread& to = threads_[receiver];
  const auto sent = slots_in(from.actions, from.actions.sends[send]);
  const auto wanted = slots_in(to.actions, to.actions.receives[receive]);
  if (sent.size() != wanted.size()) {
    return wrong(receiver, "expects {} slots from {}, which sends {} in its step {}", wanted.size(),
                 participant_of(sender), sent.size(), from.step);
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Bytes leaving = schedule_.slot_bytes(participant_of(sender), sent[i]);
    const Bytes room = schedule_.slot_bytes(participant_of(receiver), wanted[i]);
    if (leaving == room) continue;
    return wrong(receiver, "slot {} of {} bytes gets slot {} of {}, which has {} bytes", wanted[i], room, sent[i],
                 participant_of(sender), leaving);
  }
  from.sent[send] = true;
  to.received[receive] = true;
  auto& arrived = to.arrived[receive];
  arrived.clear();
  for (const Slot slot : sent) arrived.push_back(values_[index(participant_of(sender), slot)]);
  if (is_barrier_) {
    if (auto ok = spend(participants_); !ok) return ok;
    for (Rank other = 0; other < participants_; ++other)
      to.heard_next[other] = to.heard_next[other] || from.heard[other];
  }
  if (--from.open == 0) ready_.push_back(sender);
  if (--to.open == 0) ready_.push_back(receiver);
  return {};
}

Result<> SymbolicExecution::end_step(std::size_t thread) {
  Thread& self = threads_[thread];
  for (std::size_t i = 0; i < self.actions.receives.size(); ++i) {
    const auto slots = slots_in(self.actions, self.actions.receives[i]);
    for (std::size_t k = 0; k < slots.size(); ++k)
      values_[index(participant_of(thread), slots[k])] = self.arrived[i][k];
  }
  if (is_barrier_) self.heard = self.heard_next;
  for (const LocalOperation& operation : self.actions.locals) {
    if (auto ok = do_locally(thread, operation); !ok) return ok;
  }
  return {};
}

Result<> SymbolicExecution::do_locally(std::size_t thread, const LocalOperation& operation) {
  const SlotRange& from = operation.from;
  const SlotRange to{operation.to, from.count};
  const bool reduces = operation.kind != LocalOperation::Kind::copy;
  if (auto ok = touch(thread, from, false); !ok) return ok;
  if (auto ok = touch(thread, to, true); !ok) return ok;
  if (reduces) {
    if (auto ok = touch(thread, to, false); !ok) return ok;
  }
  if (from.first < to.first + to.count && to.first < from.first + from.count) {
    return wrong(thread, "slots {} and {} overlap in a local operation", from.first, to.first);
  }
  if (reduces && watch_reduction_) {
    if (auto ok = show_reduction(thread, operation); !ok) return ok;
  }
  const Rank self = participant_of(thread);
  for (std::uint32_t k = 0; k < from.count; ++k) {
    if (schedule_.slot_bytes(self, from.first + k) != schedule_.slot_bytes(self, to.first + k)) {
      return wrong(thread, "slots {} and {} of a local operation differ in size", from.first + k, to.first + k);
    }
    const Value source = values_[index(self, from.first + k)];
    Value& target = values_[index(self, to.first + k)];
    target = reduces ? contributions_.sum(target, source) : source;
    if (contributions_.too_often()) {
      return wrong(thread, "slot {} combines a contribution more than {} times", to.first + k, max_times_combined);
    }
    if (auto ok = spend(0); !ok) return ok;
  }
  return {};
}

Result<> SymbolicExecution::show_reduction(std::size_t thread, const LocalOperation& operation) const {
  const std::size_t to = index(participant_of(thread), operation.to);
  const std::size_t from = index(participant_of(thread), operation.from.first);
  const std::span<const Value> values(values_);
  const auto ok = watch_reduction_(thread, threads_[thread].step, operation, values.subspan(to, operation.from.count),
                                   values.subspan(from, operation.from.count));
  return ok ? ok : wrong(thread, "{}", ok.error().message);
}

Result<> SymbolicExecution::spend(std::uint64_t work) {
  work_ += work;
  if (work_ + contributions_.work() <= max_work_) return {};
  return fail("more than {} actions would have to be followed to verify this schedule", max_work_);
}

Failure SymbolicExecution::deadlock() const {
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    const Thread& self = threads_[thread];
    for (std::size_t i = 0; self.open > 0 && i < self.received.size(); ++i) {
      if (self.received[i]) continue;
      return wrong(thread, "deadlock: waits for a message that {} does not send", self.actions.receives[i].peer);
    }
  }
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    const Thread& self = threads_[thread];
    for (std::size_t i = 0; self.open > 0 && i < self.sent.size(); ++i) {
      if (self.sent[i]) continue;
      return wrong(thread, "deadlock: sends a message that {} does not receive", self.actions.sends[i].peer);
    }
  }
  return fail("deadlock");
}

bool SymbolicExecution::has_heard(Rank participant, Rank other) const {
  for (std::uint32_t stream = 0; stream < streams_; ++stream) {
    if (threads_[thread_of(participant, stream)].heard[other]) return true;
  }
  return false;
}

}  // namespace ayatori
