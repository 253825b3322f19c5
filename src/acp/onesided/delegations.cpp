#include "delegations.hpp"

#include <algorithm>

namespace ayatori::onesided {

Answer Delegations::accept(Rank initiator, const Call& call) {
  const auto dst = core_.space.find(call.words[0]);
  const auto src = core_.space.find(call.words[1]);
  const Bytes size = call.words[2];
  std::byte* target = dst && src ? core_.memory.find(*dst, size) : nullptr;
  if (!target) return {.status = Status::refused};
  if (size == 0) return {.value = 1};
  if (src->rank == core_.self) {
    const std::byte* source = core_.memory.find(*src, size);
    if (!source) return {.status = Status::refused};
    store(target, source, size);
    return {.value = 1};
  }
  const auto delegation = std::ranges::find(delegations_, Delegation::State::free, &Delegation::state);
  if (delegation == delegations_.end()) return {.status = Status::busy};
  ++busy_;
  *delegation = {.state = Delegation::State::waiting,
                 .initiator = initiator,
                 .handle = call.words[3],
                 .transfer = {.remote = *src, .local = target, .local_region = dst->region, .size = size}};
  return {.value = 0};
}

void Delegations::progress() {
  if (busy_ == 0 || !core_.endpoint_reported) return;
  for (std::uint64_t number = 0; number < delegations_.size(); ++number) {
    if (delegations_[number].state == Delegation::State::waiting) begin(number);
    if (delegations_[number].state == Delegation::State::to_signal) signal(number);
  }
}

void Delegations::begin(std::uint64_t number) {
  Delegation& delegation = delegations_[number];
  const Token token = token_of(Purpose::delegation, number);
  delegation.state = Delegation::State::under_way;
  switch (core_.transfers.begin(core_.now, *core_.endpoint, core_.connections, delegation.transfer, token)) {
    case Transfers::Begun::under_way:
      return;
    case Transfers::Begun::later:
      delegation.state = Delegation::State::waiting;
      return;
    case Transfers::Begun::impossible:
      return end(number, core_.transfers.fault() == Fault::lost ? Status::lost : Status::refused);
  }
}

void Delegations::refused(std::uint64_t number) {
  if (!core_.transfers.refused(delegations_[number].transfer)) return end(number, Status::refused);
  delegations_[number].state = Delegation::State::waiting;
}

void Delegations::undone(std::uint64_t number) { delegations_[number].state = Delegation::State::waiting; }

void Delegations::end(std::uint64_t number, Status status) {
  // If the initiator was lost meanwhile, there is nobody to notify.
  if (delegations_[number].state == Delegation::State::signalling) return signalled(number);
  delegations_[number].status = status;
  delegations_[number].state = Delegation::State::to_signal;
}

void Delegations::signal(std::uint64_t number) {
  const Delegation& delegation = delegations_[number];
  const Call call{.kind = CallKind::copied,
                  .words = {delegation.handle, static_cast<std::uint64_t>(delegation.status)}};
  if (core_.call(delegation.initiator, call, token_of(Purpose::delegation, number))) {
    delegations_[number].state = Delegation::State::signalling;
  }
}

void Delegations::signalled(std::uint64_t number) {
  delegations_[number].state = Delegation::State::free;
  --busy_;
}

}  // namespace ayatori::onesided
