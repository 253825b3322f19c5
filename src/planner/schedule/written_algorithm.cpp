#include "ayatori/schedule/written_algorithm.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "phased_schedule.hpp"

namespace ayatori {

std::uint64_t WrittenHead::own_slots() const {
  switch (collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
      return 2 * std::uint64_t{ranks};
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
      return ranks;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::allreduce:
      return blocks;
    case Collective::halo:
      return 2 * std::uint64_t{blocks};
    case Collective::barrier:
      break;
  }
  return 0;
}

bool WrittenHead::cuts_one_vector() const {
  return collective == Collective::broadcast || collective == Collective::reduce || collective == Collective::allreduce;
}

bool WrittenSizes::admit(Bytes bytes) const {
  return bytes >= from && (!to || bytes <= *to) && bytes % multiple_of == 0;
}

void WrittenAlgorithm::actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const {
  actions.clear();
  const auto& mine = steps_[std::size_t{participant} * head_.streams + stream];
  if (step >= mine.size()) return;
  const StepBegin& begin = begins_[mine[step]];
  const StepBegin& end = begins_[mine[step] + 1];
  actions.ranges.assign(ranges_.begin() + begin.range, ranges_.begin() + end.range);
  actions.sends.assign(sends_.begin() + begin.send, sends_.begin() + end.send);
  actions.receives.assign(receives_.begin() + begin.receive, receives_.begin() + end.receive);
  actions.locals.assign(locals_.begin() + begin.local, locals_.begin() + end.local);
}

WrittenAlgorithm::StepBegin WrittenAlgorithm::here() const {
  return {static_cast<std::uint32_t>(ranges_.size()), static_cast<std::uint32_t>(sends_.size()),
          static_cast<std::uint32_t>(receives_.size()), static_cast<std::uint32_t>(locals_.size())};
}

// --- writing --------------------------------------------------------------------------------------------------------

namespace {

Result<> check_scratch(const WrittenHead& head) {
  if (head.scratch.empty()) return {};
  if (head.collective == Collective::alltoallv || head.collective == Collective::barrier) {
    return fail("{} has no scratch slots", to_word(head.collective));
  }
  const std::uint32_t sizes = head.cuts_one_vector() ? head.blocks : 1;
  for (const std::uint32_t block : head.scratch) {
    if (block >= sizes) return fail("a scratch slot as large as block {}, but there are {}", block, sizes);
  }
  return {};
}

Result<> check_neighbours(const WrittenHead& head) {
  const bool is_halo = head.collective == Collective::halo;
  if (!is_halo && !head.neighbours.empty()) return fail("{} has no neighbours", to_word(head.collective));
  if (is_halo && (head.blocks % 2 != 0 || head.neighbours.size() != std::uint64_t{head.ranks} * head.blocks)) {
    return fail("a halo needs as many neighbours for each rank, two in each dimension");
  }
  return {};
}

Result<> check_head(const WrittenHead& head) {
  if (head.ranks == 0 || head.ranks > max_ranks) return fail("{} ranks; expected 1 to {}", head.ranks, max_ranks);
  if (head.root >= head.ranks) return fail("root {} of {} ranks (they count from 0)", head.root, head.ranks);
  if (head.participants < head.ranks) return fail("{} participants, but {} ranks", head.participants, head.ranks);
  if (head.streams == 0 || head.streams > max_written_streams) {
    return fail("{} streams; expected 1 to {}", head.streams, max_written_streams);
  }
  if (head.blocks == 0 || (head.blocks > 1 && !head.cuts_one_vector() && head.collective != Collective::halo)) {
    return fail("{} blocks of {}", head.blocks, to_word(head.collective));
  }
  const std::uint64_t each = std::max<std::uint64_t>(head.own_slots() + head.scratch.size(), head.streams);
  if (each > written_limits.slots / head.participants) {
    return fail("{} participants with {} slots each are more than {} slots", head.participants, each,
                written_limits.slots);
  }
  if (auto ok = check_scratch(head); !ok) return ok;
  return check_neighbours(head);
}

}  // namespace

Result<AlgorithmWriter> AlgorithmWriter::begin(WrittenHead head) {
  if (auto ok = check_head(head); !ok) return Failure(ok.error());
  return AlgorithmWriter(std::move(head));
}

AlgorithmWriter::AlgorithmWriter(WrittenHead head) : slots_(head.own_slots() + head.scratch.size()) {
  algorithm_.steps_.resize(std::size_t{head.participants} * head.streams);
  algorithm_.step_counts_.resize(head.streams);
  algorithm_.slots_used_.assign(head.participants, static_cast<Slot>(head.own_slots()));
  algorithm_.head_ = std::move(head);
}

Result<> AlgorithmWriter::count_entries(std::uint64_t entries) {
  entries_ += entries;
  if (entries_ <= max_written_entries) return {};
  return fail("more than {} steps, messages, ranges of slots and local operations", max_written_entries);
}

Result<> AlgorithmWriter::step(Rank participant, std::uint32_t stream) {
  const WrittenHead& head = algorithm_.head_;
  if (participant >= head.participants) return fail("a step of participant {} of {}", participant, head.participants);
  if (stream >= head.streams) return fail("a step of stream {} of {}", stream, head.streams);
  if (auto ok = count_entries(1); !ok) return ok;
  auto& mine = algorithm_.steps_[std::size_t{participant} * head.streams + stream];
  mine.push_back(static_cast<std::uint32_t>(algorithm_.begins_.size()));
  algorithm_.step_counts_[stream] = std::max(algorithm_.step_counts_[stream], mine.size());
  algorithm_.begins_.push_back(algorithm_.here());
  participant_ = participant;
  last_message_in_ = nullptr;
  return {};
}

Result<> AlgorithmWriter::send(Rank to, std::span<const SlotRange> slots) {
  return message(&WrittenAlgorithm::sends_, to, slots);
}

Result<> AlgorithmWriter::receive(Rank from, std::span<const SlotRange> slots) {
  return message(&WrittenAlgorithm::receives_, from, slots);
}

Result<> AlgorithmWriter::message(std::vector<Transfer> WrittenAlgorithm::* transfers, Rank peer,
                                  std::span<const SlotRange> slots) {
  if (participant_ == no_id) return fail("a message without a step");
  if (auto ok = count_entries(1); !ok) return ok;
  const std::size_t first = algorithm_.ranges_.size() - algorithm_.begins_.back().range;
  (algorithm_.*transfers).push_back({peer, static_cast<std::uint32_t>(first), 0});
  last_message_in_ = transfers;
  for (const SlotRange& range : slots) {
    if (auto ok = append(range); !ok) return ok;
  }
  return {};
}

Result<> AlgorithmWriter::append(SlotRange slots) {
  if (last_message_in_ == nullptr) return fail("more slots of a message, but there is no message");
  if (slots.count == 0) return {};
  if (auto ok = use(slots); !ok) return ok;
  algorithm_.ranges_.push_back(slots);
  ++(algorithm_.*last_message_in_).back().range_count;
  return {};
}

Result<> AlgorithmWriter::local(const LocalOperation& operation) {
  if (participant_ == no_id) return fail("a local operation without a step");
  if (auto ok = use(operation.from); !ok) return ok;
  if (auto ok = use({operation.to, operation.from.count}); !ok) return ok;
  algorithm_.locals_.push_back(operation);
  return {};
}

/// Checks that the slots exist.
Result<> AlgorithmWriter::use(SlotRange slots) {
  const std::uint64_t end = std::uint64_t{slots.first} + slots.count;
  if (end > slots_) return fail("slots {} ... {}, but there are {}", slots.first, end - (end > 0 ? 1 : 0), slots_);
  Slot& used = algorithm_.slots_used_[participant_];
  used = std::max(used, static_cast<Slot>(end));
  return count_entries(1);
}

std::shared_ptr<const WrittenAlgorithm> AlgorithmWriter::finish() {
  algorithm_.begins_.push_back(algorithm_.here());
  return std::make_shared<const WrittenAlgorithm>(std::move(algorithm_));
}

// --- schedules ------------------------------------------------------------------------------------------------------

namespace {

/// Bytes of a block of the vector.
using BlockSizes = std::function<Bytes(std::uint32_t block)>;

class SizedSchedule final : public Schedule {
 public:
  SizedSchedule(std::shared_ptr<const WrittenAlgorithm> algorithm, const CollectiveCall& call, BlockSizes blocks,
                PairSizes pairs)
      : algorithm_(std::move(algorithm)),
        head_(algorithm_->head()),
        call_(call),
        own_slots_(static_cast<Slot>(head_.own_slots())),
        blocks_(std::move(blocks)),
        pairs_(std::move(pairs)) {}

  [[nodiscard]] const CollectiveCall& call() const override { return call_; }
  [[nodiscard]] Rank participant_count() const override { return head_.participants; }
  [[nodiscard]] std::uint32_t stream_count() const override { return head_.streams; }
  [[nodiscard]] std::size_t step_count(std::uint32_t stream) const override { return algorithm_->step_count(stream); }
  [[nodiscard]] std::uint32_t block_count() const override { return head_.blocks; }
  [[nodiscard]] Slot slot_count() const override { return own_slots_ + static_cast<Slot>(head_.scratch.size()); }

  [[nodiscard]] Rank neighbour(Rank rank, std::uint32_t face) const override {
    return head_.neighbours.empty() ? no_id : head_.neighbours[std::size_t{rank} * head_.blocks + face];
  }

  [[nodiscard]] Bytes slot_bytes(Rank participant, Slot slot) const override {
    if (slot >= own_slots_ && !algorithm_->reaches(participant, slot)) return 0;
    if (head_.cuts_one_vector()) return blocks_(slot < own_slots_ ? slot : head_.scratch[slot - own_slots_]);
    if (head_.collective != Collective::alltoallv) return call_.bytes;
    const Rank n = call_.ranks;
    if (participant >= n) return 0;
    return slot < n ? pairs_.bytes(participant, slot) : pairs_.bytes(slot - n, participant);
  }

  void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const override {
    algorithm_->actions(participant, stream, step, actions);
    if (head_.collective == Collective::alltoallv) leave_out_empty(*this, participant, actions);
  }

 private:
  std::shared_ptr<const WrittenAlgorithm> algorithm_;
  const WrittenHead& head_;
  CollectiveCall call_;
  Slot own_slots_;
  BlockSizes blocks_;
  PairSizes pairs_;
};

Result<> check_call(const WrittenHead& head, const CollectiveCall& call) {
  if (call.collective != head.collective) {
    return fail("a schedule of {}, not of {}", to_word(head.collective), to_word(call.collective));
  }
  if (call.ranks != head.ranks) return fail("a schedule of {} ranks, not of {}", head.ranks, call.ranks);
  if (has_root(call.collective) && call.root != head.root) {
    return fail("a schedule with root {}, not {}", head.root, call.root);
  }
  return {};
}

SchedulePtr with_blocks(std::shared_ptr<const WrittenAlgorithm> algorithm, const BlockSizes& blocks) {
  const WrittenHead& head = algorithm->head();
  CollectiveCall call{head.collective, head.ranks, head.root, 0};
  for (std::uint32_t block = 0; block < head.blocks; ++block) call.bytes += blocks(block);
  return std::make_shared<SizedSchedule>(std::move(algorithm), call, blocks, PairSizes{});
}

/// A schedule whose slots are equally large only if they are so in all schedules of these sizes.
Result<SchedulePtr> schedule_for_all(std::shared_ptr<const WrittenAlgorithm> algorithm, const WrittenSizes& sizes) {
  const WrittenHead& head = algorithm->head();
  const CollectiveCall call{head.collective, head.ranks, head.root, head.collective == Collective::barrier ? 0U : 1U};
  if (head.collective == Collective::alltoallv) {
    const auto bytes = [n = head.ranks](Rank from, Rank to) { return 1 + Bytes{from} * n + to; };
    return schedule_of(std::move(algorithm), call, {head.ranks, bytes});
  }
  if (!head.cuts_one_vector()) return schedule_of(std::move(algorithm), call);
  if (sizes.multiple_of % head.blocks == 0) return with_blocks(std::move(algorithm), [](std::uint32_t) { return 1; });
  if (sizes.from == sizes.to) {
    return schedule_of(std::move(algorithm), {head.collective, head.ranks, head.root, sizes.from});
  }
  return with_blocks(std::move(algorithm), [](std::uint32_t block) { return Bytes{block} + 1; });
}

}  // namespace

Result<SchedulePtr> schedule_of(std::shared_ptr<const WrittenAlgorithm> algorithm, CollectiveCall call,
                                const PairSizes& pair_sizes) {
  const WrittenHead& head = algorithm->head();
  if (auto ok = check_call(head, call); !ok) return Failure(ok.error());
  AlgorithmOptions options;
  options.pair_sizes = pair_sizes;
  const auto counted = checked_call(call, options);
  if (!counted) return Failure(counted.error());
  const SlotLayout layout{counted->bytes, head.blocks, 1, 0};
  const auto blocks = [layout](std::uint32_t block) { return layout.block_bytes(block); };
  return std::make_shared<SizedSchedule>(std::move(algorithm), *counted, blocks, pair_sizes);
}

Result<> verify_written(std::shared_ptr<const WrittenAlgorithm> algorithm, const WrittenSizes& sizes) {
  const auto schedule = schedule_for_all(std::move(algorithm), sizes);
  if (!schedule) return Failure(schedule.error());
  return verify(**schedule, written_limits);
}

// --- writing out ----------------------------------------------------------------------------------------------------

namespace {

/// The block that a scratch slot is as large as, at all participants that have something there.
Result<std::uint32_t> block_of(const Schedule& schedule, const WrittenHead& head, Slot slot) {
  Bytes bytes = 0;
  for (Rank participant = 0; participant < head.participants; ++participant) {
    const Bytes here = schedule.slot_bytes(participant, slot);
    if (bytes > 0 && here > 0 && here != bytes) {
      return with_hint(fail("scratch slot {} has {} bytes at one participant and {} at another", slot, bytes, here),
                       "a number of bytes that can be cut into equal blocks");
    }
    bytes = std::max(bytes, here);
  }
  if (!head.cuts_one_vector()) return 0;
  for (const std::uint32_t block : {0U, head.blocks - 1}) {
    if (schedule.slot_bytes(0, block) == bytes) return block;
  }
  // Where nobody has anything the slot is not used; the proof of the whole would find it otherwise.
  if (bytes == 0) return 0;
  return fail("scratch slot {} has {} bytes, which no block has", slot, bytes);
}

Result<WrittenHead> head_of(const Schedule& schedule) {
  const CollectiveCall& call = schedule.call();
  WrittenHead head;
  head.collective = call.collective;
  head.ranks = call.ranks;
  if (has_root(call.collective)) head.root = call.root;
  head.participants = schedule.participant_count();
  head.streams = schedule.stream_count();
  const bool is_halo = call.collective == Collective::halo;
  if (head.cuts_one_vector() || is_halo) head.blocks = schedule.block_count();
  for (Rank rank = 0; is_halo && rank < call.ranks; ++rank) {
    for (std::uint32_t face = 0; face < head.blocks; ++face) head.neighbours.push_back(schedule.neighbour(rank, face));
  }
  // Slots that a barrier has are never used.
  if (call.collective == Collective::barrier) return head;
  for (auto slot = static_cast<Slot>(head.own_slots()); slot < schedule.slot_count(); ++slot) {
    const auto block = block_of(schedule, head, slot);
    if (!block) return Failure(block.error());
    head.scratch.push_back(*block);
  }
  return head;
}

/// A written algorithm cuts a vector into blocks as equal as can be. Some MPI libraries cut it otherwise.
Result<> check_blocks(const Schedule& schedule, const WrittenHead& head) {
  const SlotLayout layout{schedule.call().bytes, head.blocks, 1, 0};
  for (std::uint32_t block = 0; head.cuts_one_vector() && block < head.blocks; ++block) {
    const Bytes bytes = schedule.slot_bytes(0, block);
    if (bytes == layout.block_bytes(block)) continue;
    return fail("block {} has {} bytes, but {} if the vector is cut as equally as can be", block, bytes,
                layout.block_bytes(block));
  }
  return {};
}

Result<> write_step(AlgorithmWriter& writer, const StepActions& actions) {
  const auto ranges = [&](const Transfer& transfer) {
    return std::span(actions.ranges).subspan(transfer.first_range, transfer.range_count);
  };
  for (const Transfer& send : actions.sends) {
    if (auto ok = writer.send(send.peer, ranges(send)); !ok) return ok;
  }
  for (const Transfer& receive : actions.receives) {
    if (auto ok = writer.receive(receive.peer, ranges(receive)); !ok) return ok;
  }
  for (const LocalOperation& local : actions.locals) {
    if (auto ok = writer.local(local); !ok) return ok;
  }
  return {};
}

Result<> write_steps(AlgorithmWriter& writer, const Schedule& schedule) {
  StepActions actions;
  for (Rank participant = 0; participant < schedule.participant_count(); ++participant) {
    for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
      for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
        schedule.actions(participant, stream, step, actions);
        if (auto ok = writer.step(participant, stream); !ok) return ok;
        if (auto ok = write_step(writer, actions); !ok) return ok;
      }
    }
  }
  return {};
}

}  // namespace

Result<WrittenWithSizes> written_out(const Schedule& schedule) {
  auto head = head_of(schedule);
  if (!head) return Failure(head.error());
  if (auto ok = check_blocks(schedule, *head); !ok) return Failure(ok.error());
  const std::uint32_t blocks = head->cuts_one_vector() ? head->blocks : 1;
  auto writer = AlgorithmWriter::begin(std::move(*head));
  if (!writer) return Failure(writer.error());
  if (auto ok = write_steps(*writer, schedule); !ok) return Failure(ok.error());
  const auto algorithm = writer->finish();
  const Bytes bytes = schedule.call().bytes;
  const WrittenSizes any;
  if (verify_written(algorithm, any)) return WrittenWithSizes{algorithm, any};
  const WrittenSizes sizes =
      bytes % blocks == 0 ? WrittenSizes{0, std::nullopt, blocks} : WrittenSizes{bytes, bytes, 1};
  if (auto ok = verify_written(algorithm, sizes); !ok) return Failure(ok.error());
  return WrittenWithSizes{algorithm, sizes};
}

}  // namespace ayatori
