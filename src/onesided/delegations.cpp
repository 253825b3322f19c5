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
  const auto job = std::ranges::find(jobs_, Job::State::free, &Job::state);
  if (job == jobs_.end()) return {.status = Status::busy};
  ++busy_;
  *job = {.state = Job::State::waiting,
          .initiator = initiator,
          .handle = call.words[3],
          .transfer = {.remote = *src, .local = target, .size = size}};
  return {.value = 0};
}

void Delegations::progress() {
  if (busy_ == 0 || !core_.endpoint_reported) return;
  for (std::uint64_t number = 0; number < jobs_.size(); ++number) {
    if (jobs_[number].state == Job::State::waiting) begin(number);
    if (jobs_[number].state == Job::State::to_tell) tell(number);
  }
}

void Delegations::begin(std::uint64_t number) {
  Job& job = jobs_[number];
  const Token token = token_of(Purpose::delegation, number);
  job.state = Job::State::under_way;
  switch (core_.transfers.begin(core_.now, *core_.endpoint, job.transfer, token)) {
    case Transfers::Begun::under_way:
      return;
    case Transfers::Begun::later:
      job.state = Job::State::waiting;
      return;
    case Transfers::Begun::impossible:
      return end(number, core_.transfers.fault() == Fault::lost ? Status::lost : Status::refused);
  }
}

void Delegations::refused(std::uint64_t number) {
  if (!core_.transfers.refused(jobs_[number].transfer)) return end(number, Status::refused);
  jobs_[number].state = Job::State::waiting;
}

void Delegations::end(std::uint64_t number, Status status) {
  // If the initiator was lost meanwhile, there is nobody to be told.
  if (jobs_[number].state == Job::State::telling) return told(number);
  jobs_[number].status = status;
  jobs_[number].state = Job::State::to_tell;
}

void Delegations::tell(std::uint64_t number) {
  const Job& job = jobs_[number];
  const Call call{.kind = CallKind::copied, .words = {job.handle, static_cast<std::uint64_t>(job.status)}};
  if (core_.call(job.initiator, call, token_of(Purpose::delegation, number))) {
    jobs_[number].state = Job::State::telling;
  }
}

void Delegations::told(std::uint64_t number) {
  jobs_[number].state = Job::State::free;
  --busy_;
}

}  // namespace ayatori::onesided
