#include "compiled_call.hpp"

#include <algorithm>
#include <numeric>

#include "ayatori/schedule/rank_order.hpp"
#include "others.hpp"

namespace ayatori::plugin {

namespace {

/// Small executes should not have to ask for memory.
constexpr Bytes max_kept_scratch = 4096;

/// All ranks find out whether a schedule combines in the order of ranks: in some 1 MiB and 50 ms at most.
constexpr VerificationLimits max_ordering{.slots = 1U << 15, .work = 1U << 22};

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

/// With the blocks before and after this rank's own as regions of their own.
std::vector<Slot> starts_around_block(Rank rank, Rank ranks) {
  std::vector<Slot> starts;
  if (rank > 0) starts.push_back(0);
  starts.push_back(rank);
  if (rank + 1 < ranks) starts.push_back(rank + 1);
  starts.push_back(ranks);
  return starts;
}

/// Whether the program, compiled so, writes no block but its own.
bool writes_only_own_block(const RankProgram& program, Rank rank) {
  const std::vector<RegionUse> uses = region_uses(program);
  const std::size_t own = rank > 0 ? 1 : 0;
  for (std::size_t region = 0; region + 1 < uses.size(); ++region) {
    if (region != own && uses[region].written) return false;
  }
  return true;
}

/// A reduce-scatter of blocks of one size that may be executed in what the program sends, or else as all other calls.
Result<RankProgram> compile(const Schedule& schedule, Rank rank, const CallShape& shape) {
  ProgramOptions options;
  options.element_bytes = shape.element_bytes;
  if (schedule.call().collective == Collective::reduce_scatter && !shape.by_slot) {
    options.region_starts = starts_around_block(rank, schedule.call().ranks);
    auto program = RankProgram::compile(schedule, rank, options);
    if (!program || writes_only_own_block(*program, rank)) return program;
  }
  options.region_starts = region_starts(schedule, shape.by_slot);
  return RankProgram::compile(schedule, rank, options);
}

}  // namespace

Result<std::unique_ptr<CompiledCall>> CompiledCall::make(const CallShape& shape, Rank rank, const Placement& placement,
                                                         Messages& messages, Carried carried) {
  const auto ranks = static_cast<Rank>(placement.machine.size());
  AlgorithmOptions options;
  if (shape.choice.chunk_bytes > 0) {
    options.chunk_bytes = std::max<Bytes>(1, shape.choice.chunk_bytes / shape.element_bytes);
  }
  const CollectiveCall call{shape.collective, ranks, shape.root, shape.elements};
  auto schedule = schedule_of(shape.choice.algorithm, call, placement, options);
  if (!schedule) return Failure(schedule.error());
  if ((*schedule)->participant_count() > ranks) return fail("{} needs routers that reduce", shape.choice.algorithm);
  if (shape.in_rank_order) {
    schedule = in_rank_order(std::move(*schedule), max_ordering);
    if (!schedule) {
      return fail("{} does not combine in the order of the ranks: {}", shape.choice.algorithm,
                  schedule.error().message);
    }
  }
  auto program = compile(**schedule, rank, shape);
  if (!program) return Failure(program.error());
  if (!messages.has_tags(program->stream_count())) {
    return fail("{} needs more tags than the MPI has", shape.choice.algorithm);
  }
  return std::unique_ptr<CompiledCall>(new CompiledCall(shape, rank, std::move(*program), messages, carried));
}

CompiledCall::CompiledCall(CallShape shape, Rank rank, RankProgram program, Messages& messages, Carried carried)
    : shape_(std::move(shape)),
      rank_(rank),
      own_block_is_apart_(shape_.collective == Collective::reduce_scatter && !shape_.by_slot &&
                          program.region_bytes().size() > 2),
      program_(std::move(program)),
      uses_(region_uses(program_)),
      carrier_(messages, program_, carried == Carried::without_memory),
      executor_(program_, carrier_.get(),
                [this](std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order) {
                  combine_(to, from, bytes, order);
                }),
      regions_(uses_.size()) {
  if (shape_.by_slot) sizes_.resize(uses_.size());
  if (uses_.empty() || uses_.back().end - uses_.back().first > max_kept_scratch) return;
  kept_scratch_ = Memory(uses_.back());
  has_kept_scratch_ = true;
}

/// The program, and the executor's pieces, streams and requests.
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

CompiledCall::Blocks CompiledCall::blocks(const void* buffer, std::byte* own) const {
  auto* const first = static_cast<std::byte*>(const_cast<void*>(buffer));
  if (!own_block_is_apart_) return {{first}, 1};
  Blocks found{{}, 0};
  const Bytes block = shape_.elements * shape_.element_bytes;
  if (rank_ > 0) found.begin[found.count++] = first;
  found.begin[found.count++] = own;
  if (found.count + 1 < uses_.size()) found.begin[found.count++] = first + (rank_ + 1) * block;
  return found;
}

/// Says where the execution's memory is.
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
  carrier_.end_execution();
}

Result<> CompiledCall::begin(std::span<std::byte* const> regions, std::span<const Bytes> sizes, Combine combine) {
  place(regions, sizes);
  combine_ = std::move(combine);
  carrier_.begin_execution();
  return shape_.by_slot ? executor_.start(regions_, sizes_) : executor_.start(regions_);
}

Result<bool> CompiledCall::advance() {
  const auto done = executor_.advance();
  if (done && !*done) return false;
  end();
  return done;
}

Result<> CompiledCall::execute(std::span<std::byte* const> regions, std::span<const Bytes> sizes, Combine combine) {
  place(regions, sizes);
  combine_ = std::move(combine);
  carrier_.begin_execution();
  auto executed = shape_.by_slot ? executor_.execute(regions_, sizes_) : executor_.execute(regions_);
  end();
  return executed;
}

}  // namespace ayatori::plugin
