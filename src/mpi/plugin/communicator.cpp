#include "communicator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

#include "background.hpp"
#include "cached_calls.hpp"
#include "own_progress.hpp"
#include "process.hpp"

namespace ayatori::plugin {

namespace {

/// Memory of all compiled programs of this process; of a communicator the one that is in use is kept in any case.
constexpr Bytes max_compiled_bytes = Bytes{256} << 10;
std::atomic<Bytes> compiled_bytes{0};

int keyval = MPI_KEYVAL_INVALID;
bool ended = true;

/// Counts up whenever a communicator is freed, after which its handle may come to mean another one.
std::atomic<std::uint64_t> generation{1};

void forget_handles() {
  generation.fetch_add(1, std::memory_order_acq_rel);
  forget_cached_calls();
}

std::mutex all_mutex;
std::set<Communicator*> all;          // those that have tags
std::vector<Communicator*> deferred;  // whose last execution ended somewhere in the MPI, where none may be freed

/// The communicator that this thread used last.
struct LastUsed {
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t generation = 0;
  Communicator* state = nullptr;
};
thread_local LastUsed last_used;

/// In MPI_COMM_WORLD, by rank; empty if a process is outside of it.
std::vector<Rank> ranks_in_world(MPI_Comm comm, int ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  std::vector<int> here(static_cast<std::size_t>(ranks));
  std::iota(here.begin(), here.end(), 0);
  std::vector<int> there(here.size(), MPI_UNDEFINED);
  PMPI_Group_translate_ranks(group, ranks, here.data(), process().world, there.data());
  PMPI_Group_free(&group);
  if (std::ranges::find(there, MPI_UNDEFINED) != there.end()) return {};
  return {there.begin(), there.end()};
}

/// Why the MPI executes the collectives of a communicator. The same on all ranks.
void explain_left(std::string_view communicators) {
  explain(fmt::format("collectives on {}: the MPI's own", communicators));
}

}  // namespace

Communicator* Communicator::find(MPI_Comm comm) {
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (last_used.comm == comm && last_used.generation == now) return last_used.state;
  if (comm == MPI_COMM_NULL || ended) return nullptr;
  void* attribute = nullptr;
  int has_one = 0;
  if (PMPI_Comm_get_attr(comm, keyval, &attribute, &has_one) != MPI_SUCCESS) return nullptr;
  auto* state = static_cast<Communicator*>(attribute);
  if (has_one == 0) {
    const std::shared_ptr<Communicator> made(new Communicator(comm), &Communicator::defer_free);
    state = made.get();
    if (PMPI_Comm_set_attr(comm, keyval, state) != MPI_SUCCESS) return nullptr;
    state->self_ = made;
  }
  last_used = {comm, now, state->is_executable() ? state : nullptr};
  return last_used.state;
}

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  int is_inter = 0;
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  rank_ = static_cast<Rank>(rank);
  ranks_ = static_cast<Rank>(ranks);
  if (is_inter != 0) explain_left("inter-communicators");
  if (is_inter != 0 || ranks == 1) {
    state_ = State::useless;
    return;
  }
  const std::vector<Rank> world_ranks = ranks_in_world(comm, ranks);
  is_whole_job_ = ranks_ == process().placement.machine.size() && std::ranges::is_sorted(world_ranks);
  if (!world_ranks.empty()) return;
  explain_left("communicators with processes outside of MPI_COMM_WORLD");
  state_ = State::useless;
}

Communicator::~Communicator() {
  for (const auto& one : compiled_) compiled_bytes -= one->memory_bytes();
  for (const auto& one : idle_) compiled_bytes -= one->memory_bytes();
  const std::lock_guard lock(all_mutex);
  all.erase(this);
  if (tags_ && !has_failed_) process().tags->give_back(*tags_);
}

bool Communicator::is_executable() const { return state_ != State::useless; }

bool Communicator::prepare() {
  if (state_ != State::new_) return state_ == State::ready;
  if (!agree_on_tags()) {
    explain_left(fmt::format("communicators of {} ranks, as too many others have tags", ranks_));
    leave_to_mpi();
    return false;
  }
  make_messages();
  mpi_is_elsewhere_ = process().collectives_are_apart && placement().machine_count() > 1;
  state_ = State::ready;
  const std::lock_guard lock(all_mutex);
  all.insert(this);
  return true;
}

void Communicator::leave_to_mpi() {
  state_ = State::useless;
  forget_handles();
}

/// The lowest block that is free in all processes. Of several threads that agree at the same time, each for its
/// communicator, one may take the block before another one in some process, and after it in others: both try again.
bool Communicator::agree_on_tags() {
  TagBlocks& tags = *process().tags;
  constexpr int tries = 1000;
  for (int i = 0; i < tries; ++i) {
    TagBlocks::Mask mask = tags.free_blocks();
    const int code = PMPI_Allreduce(MPI_IN_PLACE, mask.data(), mask.size(), MPI_UINT64_T, MPI_BAND, comm_);
    const auto block = TagBlocks::lowest(mask);
    if (code != MPI_SUCCESS || !block) return false;
    int taken = tags.take(*block) ? 1 : 0;
    const bool is_ours = taken == 1;
    if (process().level == MPI_THREAD_MULTIPLE) {
      PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_INT, MPI_MIN, comm_);
    }
    if (taken == 1) {
      tags_ = block;
      return true;
    }
    if (is_ours) tags.give_back(*block);
  }
  return false;
}

Placement Communicator::placement() const {
  return placement_of_part(process().placement, ranks_in_world(comm_, static_cast<int>(ranks_)));
}

void Communicator::make_messages() {
  const std::vector<int>& on_node = process().node_ranks;
  std::vector<int> here(on_node.size(), MPI_UNDEFINED);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm_, &group);
  PMPI_Group_translate_ranks(process().world, static_cast<int>(on_node.size()), on_node.data(), group, here.data());
  PMPI_Group_free(&group);
  std::vector<NodeParticipant> near;
  for (Rank node_rank = 0; node_rank < here.size(); ++node_rank) {
    if (here[node_rank] != MPI_UNDEFINED) near.push_back({static_cast<Rank>(here[node_rank]), node_rank});
  }
  std::ranges::sort(near, {}, &NodeParticipant::participant);
  messages_ = std::make_unique<Messages>(near, ranks_in_world(comm_, static_cast<int>(ranks_)), *tags_);
}

const SizeInterval* Communicator::by_table(MpiCall call, Bytes bytes) const {
  if (!process().table || names_of(call).sized_by_rank) return nullptr;
  if (!is_whole_job_) return nullptr;
  return process().table->find(to_word(names_of(call).collective), bytes);
}

CallVeto& Communicator::veto(MpiCall call, Bytes bytes) {
  const auto size_class = static_cast<std::uint32_t>(std::bit_width(bytes));
  constexpr std::uint32_t classes = 128;
  return vetoes_.try_emplace(static_cast<std::uint32_t>(call) * classes + size_class, call, bytes).first->second;
}

CompiledCall* Communicator::compiled(const CallShape& shape) {
  for (auto one = compiled_.begin(); one != compiled_.end(); ++one) {
    if (!((*one)->shape() == shape)) continue;
    compiled_.splice(compiled_.begin(), compiled_, one);
    return compiled_.front().get();
  }
  auto made = make_call(shape, CompiledCall::Carried::by_all);
  if (made == nullptr) return nullptr;
  compiled_.push_front(std::move(made));
  while (compiled_.size() > 1 && compiled_bytes > max_compiled_bytes) {
    compiled_bytes -= compiled_.back()->memory_bytes();
    compiled_.pop_back();
    forget_cached_calls();
  }
  return compiled_.front().get();
}

std::unique_ptr<CompiledCall> Communicator::make_call(const CallShape& shape, CompiledCall::Carried carried) {
  auto made = CompiledCall::make(shape, rank_, placement(), *messages_, carried);
  if (!made) {
    explain(fmt::format("left to the MPI: {}", made.error().message));
    return nullptr;
  }
  compiled_bytes += (*made)->memory_bytes();
  return std::move(*made);
}

std::unique_ptr<CompiledCall> Communicator::lend(const CallShape& shape) {
  {
    const std::lock_guard lock(idle_mutex_);
    const auto found = std::ranges::find_if(idle_, [&](const auto& one) { return one->shape() == shape; });
    if (found != idle_.end()) {
      std::swap(*found, idle_.back());
      auto lent = std::move(idle_.back());
      idle_.pop_back();
      return lent;
    }
  }
  return make_call(shape, CompiledCall::Carried::without_memory);
}

void Communicator::give_back(std::unique_ptr<CompiledCall> call) {
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(call));
  if (compiled_bytes <= max_compiled_bytes || idle_.size() == 1) return;
  compiled_bytes -= idle_.front()->memory_bytes();
  idle_.erase(idle_.begin());
}

int Communicator::code_of(const Error& error) {
  static std::atomic<bool> is_reported{false};
  if (!is_reported.exchange(true)) {
    report_here(fmt::format("rank {} on {} can't go on: {}", process().rank, own_host(), in_words(error)));
  }
  return MPI_ERR_OTHER;
}

int Communicator::give_up(int code) {
  has_failed_ = true;
  leave_to_mpi();
  PMPI_Comm_call_errhandler(comm_, code);
  return code;
}

/// The program frees its communicator, or MPI_Finalize does.
int Communicator::forget(MPI_Comm, int, void* state, void*) {
  forget_handles();
  auto* const self = static_cast<Communicator*>(state);
  self->comm_ = MPI_COMM_WORLD;
  self->self_.reset();
  free_deferred_communicators();
  return MPI_SUCCESS;
}

/// Nobody has it any more. It is freed later, outside of the MPI's callback.
void Communicator::defer_free(Communicator* state) {
  const std::lock_guard lock(all_mutex);
  deferred.push_back(state);
}

void free_deferred_communicators() {
  std::vector<Communicator*> now;
  {
    const std::lock_guard lock(all_mutex);
    now.swap(deferred);
  }
  for (const Communicator* const one : now) delete one;
}

namespace {

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else, while all of MPI still works.
int finalize_begins(MPI_Comm, int, void*, void*) {
  end_background();
  end_communicators();
  return MPI_SUCCESS;
}

}  // namespace

void begin_communicators() {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Communicator::forget, &keyval, nullptr);
  int at_end = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &finalize_begins, &at_end, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr);
  PMPI_Comm_free_keyval(&at_end);
  ended = false;
}

void end_communicators() {
  free_deferred_communicators();
  ended = true;
  forget_handles();
  const std::lock_guard lock(all_mutex);
  for (Communicator* const one : all) {
    one->compiled_.clear();
    one->messages_.reset();
  }
  all.clear();
  process().memory.reset();
  process().sockets.reset();
  if (process().messages != MPI_COMM_NULL) PMPI_Comm_free(&process().messages);
  PMPI_Comm_free_keyval(&keyval);
  end_progress();
}

}  // namespace ayatori::plugin
