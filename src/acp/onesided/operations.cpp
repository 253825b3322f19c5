#include "operations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace ayatori::onesided {

namespace {

bool has_alignment(const std::byte* at, Bytes size) { return std::bit_cast<std::uintptr_t>(at) % size == 0; }

}  // namespace

Handle Operations::add(const Operation& operation, Handle after) {
  const Handle handle = next_++;
  at(handle) = operation;
  // No operation can wait for itself or for a later one.
  at(handle).after = std::min(after, handle - 1);
  return handle;
}

/// Operations that found no room are tried again first: no operation starts before those with lower handles.
void Operations::progress() {
  if (deferred_count_ > 0 && (core_.endpoint_reported || next_deadline() <= core_.now)) retry();
  while (unstarted_ < next_ && deferred_count_ == 0 && at(unstarted_).after < first_) begin(unstarted_++);
}

void Operations::retry() {
  for (Handle handle = first_; handle < unstarted_ && deferred_count_ > 0; ++handle) {
    Operation& operation = at(handle);
    if (!operation.deferred || operation.not_before > core_.now) continue;
    operation.deferred = false;
    --deferred_count_;
    begin(handle);
  }
}

void Operations::begin(Handle handle) {
  if (at(handle).atomic.kind == CallKind::copy) {
    begin_copy(handle);
  } else {
    begin_atomic(handle);
  }
}

void Operations::begin_copy(Handle handle) {
  const Operation& operation = at(handle);
  if (operation.size == 0) return end(handle, Fault::none);
  std::byte* target = core_.memory.reach(operation.dst, operation.size);
  const std::byte* source = core_.memory.reach(operation.src, operation.size);
  if (target && source) {
    store(target, source, operation.size);
    return end(handle, Fault::none);
  }
  for (const Rank rank : {operation.dst.rank, operation.src.rank}) {
    if (core_.lost.has(rank)) return end(handle, Fault::lost, rank);
  }
  const bool to_here = operation.dst.rank == core_.self;
  const bool from_here = operation.src.rank == core_.self;
  if (!to_here && !from_here) {
    return ask(handle, operation.dst.rank,
               {.kind = CallKind::copy,
                .words = {core_.space.of(operation.dst), core_.space.of(operation.src), operation.size, handle}});
  }
  if ((from_here && !source) || (to_here && !target)) return end(handle, Fault::no_memory, core_.self);
  if (to_here && core_.memory.copy_from_neighbour(operation.src, target, operation.size)) {
    return end(handle, Fault::none);
  }
  if (from_here && operation.size <= max_inline_bytes) {
    Call call{.kind = CallKind::write, .size = static_cast<std::uint8_t>(operation.size)};
    call.words[0] = core_.space.of(operation.dst);
    std::memcpy(&call.words[1], source, operation.size);
    return ask(handle, operation.dst.rank, call);
  }
  if (from_here && core_.memory.copy_to_neighbour(operation.dst, source, operation.size)) {
    return end(handle, Fault::none);
  }
  begin_transfer(handle);
}

std::optional<Handle> Operations::copy_at_once(const Location& dst, const Location& src, Bytes size) {
  if (!completed(latest())) return std::nullopt;
  std::byte* const target = core_.memory.reach(dst, size);
  const std::byte* const source = core_.memory.reach(src, size);
  if (target && source) {
    store(target, source, size);
    return add_completed();
  }
  const bool got = target && dst.rank == core_.self && core_.memory.copy_from_neighbour(src, target, size);
  const bool put = !got && source && src.rank == core_.self && size > max_inline_bytes &&
                   core_.memory.copy_to_neighbour(dst, source, size);
  return got || put ? std::optional(add_completed()) : std::nullopt;
}

std::optional<Handle> Operations::apply_at_once(const Call& atomic, const Location& dst, const Location& src) {
  if (!completed(latest())) return std::nullopt;
  std::byte* const word = core_.memory.reach(src, atomic.size);
  std::byte* const result = core_.memory.find(dst, atomic.size);
  if (!word || !result || !has_alignment(word, atomic.size) || !has_alignment(result, atomic.size)) return std::nullopt;
  const auto before = core_.connections.apply(atomic, word);
  if (!before) return std::nullopt;
  store(result, reinterpret_cast<const std::byte*>(&*before), atomic.size);
  return add_completed();
}

void Operations::begin_atomic(Handle handle) {
  Operation& operation = at(handle);
  std::byte* word = core_.memory.reach(operation.src, operation.atomic.size);
  if (!word && operation.src.rank == core_.self) return end(handle, Fault::no_memory, core_.self);
  if (word) {
    const auto before = core_.connections.apply(operation.atomic, word);
    return answered(handle, {before ? Status::done : Status::refused, before.value_or(0)});
  }
  if (core_.lost.has(operation.src.rank)) return end(handle, Fault::lost, operation.src.rank);
  if (core_.connections.begin(operation.atomic, operation.src, token_of(Purpose::operation, handle))) {
    operation.state = Operation::State::under_way;
  } else {
    ask(handle, operation.src.rank, operation.atomic);
  }
}

void Operations::begin_transfer(Handle handle) {
  Operation& operation = at(handle);
  Transfer& transfer = operation.transfer;
  transfer.put = operation.src.rank == core_.self;
  transfer.remote = transfer.put ? operation.dst : operation.src;
  const Location& here = transfer.put ? operation.src : operation.dst;
  transfer.local = core_.memory.find(here, operation.size);
  transfer.local_region = here.region;
  transfer.size = operation.size;
  operation.state = Operation::State::under_way;
  const auto begun = core_.transfers.begin(core_.now, *core_.endpoint, core_.connections, transfer,
                                           token_of(Purpose::operation, handle));
  if (begun == Transfers::Begun::later) defer(handle, core_.now);
  if (begun == Transfers::Begun::impossible) end(handle, core_.transfers.fault(), transfer.remote.rank);
}

void Operations::ask(Handle handle, Rank whom, const Call& call) {
  at(handle).state = Operation::State::under_way;
  if (!core_.call(whom, call, token_of(Purpose::operation, handle))) defer(handle, core_.now);
}

void Operations::defer(Handle handle, Time not_before) {
  at(handle).state = Operation::State::waiting;
  at(handle).deferred = true;
  at(handle).not_before = not_before;
  at(handle).timed = not_before > core_.now;
  ++deferred_count_;
}

// ---- How they end

namespace {

/// A copy between two other processes, which the process of the destination carries out.
bool is_for_others(const Operation& operation, Rank self) {
  return operation.atomic.kind == CallKind::copy && operation.dst.rank != self && operation.src.rank != self;
}

/// The rank that the endpoint sent the operation to.
Rank asked(const Operation& operation, Rank self) {
  if (operation.atomic.kind != CallKind::copy) return operation.src.rank;
  return operation.dst.rank == self ? operation.src.rank : operation.dst.rank;
}

}  // namespace

void Operations::answered(Handle handle, const Answer& answer) {
  // `copied` may arrive before the answer to the request.
  if (!in_hand(handle) || at(handle).state == Operation::State::ended) return;
  Operation& operation = at(handle);
  if (answer.status == Status::busy) return defer(handle, core_.now + busy_pause);
  if (answer.status != Status::done) return end(handle, Fault::no_memory, asked(operation, core_.self));
  if (is_for_others(operation, core_.self) && answer.value == 0) {
    operation.state = Operation::State::delegated;
    ++delegated_;
    return;
  }
  if (operation.atomic.kind != CallKind::copy) {
    std::byte* result = core_.memory.find(operation.dst, operation.atomic.size);
    if (!result) return end(handle, Fault::no_memory, core_.self);
    store(result, reinterpret_cast<const std::byte*>(&answer.value), operation.atomic.size);
  }
  end(handle, Fault::none);
}

/// It may arrive before the answer to the request.
void Operations::copied(Rank from, Handle handle, Status status) {
  if (!in_hand(handle) || !is_for_others(at(handle), core_.self) || at(handle).dst.rank != from) return;
  if (at(handle).state != Operation::State::under_way && at(handle).state != Operation::State::delegated) return;
  const Fault fault = status == Status::done ? Fault::none : status == Status::refused ? Fault::no_memory : Fault::lost;
  end(handle, fault, at(handle).src.rank);
}

void Operations::refused(Handle handle) {
  if (core_.transfers.refused(at(handle).transfer)) return defer(handle, core_.now);
  end(handle, Fault::no_memory, at(handle).transfer.remote.rank);
}

void Operations::failed(Handle handle) {
  if (in_hand(handle) && at(handle).state == Operation::State::under_way) {
    end(handle, Fault::lost, asked(at(handle), core_.self));
  }
}

/// What waits ends when it is tried again, and what the endpoint has is reported as failed.
void Operations::lost(Rank peer) {
  for (Handle handle = first_; handle < unstarted_; ++handle) {
    const Operation& operation = at(handle);
    const bool concerned = operation.dst.rank == peer || operation.src.rank == peer;
    if (operation.state == Operation::State::delegated && concerned) end(handle, Fault::lost, peer);
  }
}

void Operations::end(Handle handle, Fault fault, Rank culprit) {
  Operation& operation = at(handle);
  if (operation.state == Operation::State::delegated) --delegated_;
  operation.state = Operation::State::ended;
  operation.fault = fault;
  operation.culprit = culprit;
  if (handle == first_) leave_in_order();
}

void Operations::leave_in_order() {
  for (; first_ < unstarted_ && at(first_).state == Operation::State::ended; ++first_) {
    const Operation& operation = at(first_);
    if (operation.fault != Fault::none) failures_.add(first_, operation.fault, operation.culprit);
  }
}

std::optional<Error> Operations::take_failure(Handle handle) {
  const auto run = failures_.take(handle);
  if (!run) return std::nullopt;
  const std::string which = run->exact ? fmt::format("operation {}", run->first)
                                       : fmt::format("one or more of the operations {} to {}", run->first, run->last);
  if (run->fault == Fault::lost) {
    return with_code(fail("{}: rank {} is lost", which, run->rank), EHOSTDOWN).error();
  }
  return with_code(fail("{}: rank {} has not registered all of that memory", which, run->rank), EFAULT).error();
}

Time Operations::next_deadline() const {
  if (deferred_count_ == 0) return never;
  Time earliest = never;
  for (Handle handle = first_; handle < unstarted_; ++handle) {
    const Operation& operation = at(handle);
    if (operation.deferred && operation.timed) earliest = std::min(earliest, operation.not_before);
  }
  return earliest;
}

}  // namespace ayatori::onesided
