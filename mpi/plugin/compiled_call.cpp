#include "compiled_call.hpp"

#include <algorithm>
#include <numeric>

#include "others.hpp"

namespace ayatori::plugin {

namespace {

/// Small plays should not have to ask for memory.
constexpr Bytes max_kept_scratch = 4096;

/// Where regions begin, by CompiledCall's rule.
std::vector<Slot> region_starts(const Schedule& schedule, bool by_slot) {
  const Rank ranks = schedule.call().ranks;
  if (by_slot) {
    std::vector<Slot> each(schedule.slot_count());
    std::iota(each.begin(), each.end(), 0U);
    return each;
  }
  switch (schedule.call().collective) {
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::allreduce:
      return {0, schedule.block_count()};
    case Collective::alltoall:
      return {0, ranks, 2 * ranks};
    default:
      return {0, ranks};
  }
}

}  // namespace

Result<std::unique_ptr<CompiledCall>> CompiledCall::make(const CallShape& shape, Rank rank, const Places& places,
                                                         Messages& messages, Carried carried) {
  const auto ranks = static_cast<Rank>(places.machine.size());
  AlgorithmOptions options;
  if (shape.choice.chunk_bytes > 0) {
    options.chunk_bytes = std::max<Bytes>(1, shape.choice.chunk_bytes / shape.element_bytes);
  }
  const CollectiveCall call{shape.collective, ranks, shape.root, shape.elements};
  const auto schedule = schedule_of(shape.choice.algorithm, call, places, options);
  if (!schedule) return Failure(schedule.error());
  if ((*schedule)->participant_count() > ranks) return fail("{} needs routers that reduce", shape.choice.algorithm);
  ProgramOptions program_options;
  program_options.element_bytes = shape.element_bytes;
  program_options.region_starts = region_starts(**schedule, shape.by_slot);
  auto program = RankProgram::compile(**schedule, rank, program_options);
  if (!program) return Failure(program.error());
  if (carried == Carried::by_mpi && !messages.has_tags(program->stream_count())) {
    return fail("{} needs more tags than the MPI has", shape.choice.algorithm);
  }
  return std::unique_ptr<CompiledCall>(new CompiledCall(shape, std::move(*program), messages, carried));
}

CompiledCall::CompiledCall(CallShape shape, RankProgram program, Messages& messages, Carried carried)
    : shape_(std::move(shape)),
      program_(std::move(program)),
      uses_(region_uses(program_)),
      carrier_(messages, program_, carried == Carried::by_mpi),
      player_(program_, carrier_.get(),
              [this](std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order) {
                combine_(to, from, bytes, order);
              }),
      regions_(uses_.size()) {
  if (shape_.by_slot) sizes_.resize(uses_.size());
  if (uses_.empty() || uses_.back().end - uses_.back().first > max_kept_scratch) return;
  kept_scratch_ = Memory(uses_.back());
  has_kept_scratch_ = true;
}

/// The program, and the player's pieces, streams and requests.
Bytes CompiledCall::memory_bytes() const {
  Bytes bytes = sizeof *this + program_.locals().size() * sizeof(RankProgram::Local) +
                program_.messages().size() * sizeof(RankProgram::Message) +
                program_.pieces().size() * (sizeof(RankProgram::Piece) + sizeof(std::span<std::byte>)) +
                program_.max_open_messages() * (sizeof(MPI_Request) + 2 * sizeof(RequestId)) +
                uses_.size() * (sizeof(RegionUse) + sizeof(std::byte*) + 2 * sizeof(Bytes)) +
                (has_kept_scratch_ ? uses_.back().end - uses_.back().first : 0);
  for (std::uint32_t stream = 0; stream < program_.stream_count(); ++stream) {
    bytes += program_.steps(stream).size_bytes();
  }
  return bytes;
}

/// Says where the play's memory is.
void CompiledCall::place(std::span<std::byte* const> regions, std::span<const Bytes> sizes) {
  std::ranges::copy(regions, regions_.begin());
  if (shape_.by_slot) {
    std::ranges::copy(sizes, sizes_.begin());
  } else if (regions.size() < regions_.size()) {
    if (!has_kept_scratch_) scratch_ = Memory(uses_.back());
    regions_.back() = has_kept_scratch_ ? kept_scratch_.begin() : scratch_.begin();
  }
}

void CompiledCall::end() {
  scratch_ = Memory();
  carrier_.end_play();
}

Result<> CompiledCall::begin(std::span<std::byte* const> regions, std::span<const Bytes> sizes, Combine combine) {
  place(regions, sizes);
  combine_ = std::move(combine);
  carrier_.begin_play();
  return shape_.by_slot ? player_.start(regions_, sizes_) : player_.start(regions_);
}

Result<bool> CompiledCall::advance() {
  const auto done = player_.advance();
  if (done && !*done) return false;
  end();
  return done;
}

Result<> CompiledCall::play(std::span<std::byte* const> regions, std::span<const Bytes> sizes, Combine combine) {
  place(regions, sizes);
  combine_ = std::move(combine);
  carrier_.begin_play();
  auto played = shape_.by_slot ? player_.play(regions_, sizes_) : player_.play(regions_);
  end();
  return played;
}

}  // namespace ayatori::plugin
