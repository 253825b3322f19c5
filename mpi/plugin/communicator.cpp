#include "communicator.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <vector>

#include "process.hpp"

namespace ayatori::plugin {

namespace {

constexpr std::size_t max_compiled = 32;

int keyval = MPI_KEYVAL_INVALID;
bool ended = true;

/// Counts up whenever a communicator is freed, after which its handle may come to mean another one.
std::atomic<std::uint64_t> generation{1};

std::mutex all_mutex;
std::set<Communicator*> all;  // those that have a communicator of their own

/// The communicator that this thread used last.
struct LastUsed {
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t generation = 0;
  Communicator* state = nullptr;
};
thread_local LastUsed last_used;

/// Errors on a communicator come back to the caller while this object lives.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &before_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

bool lies_in_the_world(MPI_Comm comm, int ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  std::vector<int> here(static_cast<std::size_t>(ranks));
  std::iota(here.begin(), here.end(), 0);
  std::vector<int> there(here.size(), MPI_UNDEFINED);
  PMPI_Group_translate_ranks(group, ranks, here.data(), process().world, there.data());
  PMPI_Group_free(&group);
  return std::ranges::find(there, MPI_UNDEFINED) == there.end();
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
    state = new Communicator(comm);
    if (PMPI_Comm_set_attr(comm, keyval, state) != MPI_SUCCESS) {
      delete state;
      return nullptr;
    }
  }
  last_used = {comm, now, state->is_playable() ? state : nullptr};
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
  if (is_inter != 0 || ranks < 2 || !lies_in_the_world(comm, ranks)) state_ = State::useless;
}

Communicator::~Communicator() {
  if (own_ == MPI_COMM_NULL) return;
  const std::lock_guard lock(all_mutex);
  all.erase(this);
  PMPI_Comm_free(&own_);
}

bool Communicator::is_playable() const { return state_ != State::useless; }

bool Communicator::prepare() {
  if (state_ != State::new_) return state_ == State::ready;
  state_ = make_own() ? State::ready : State::useless;
  if (state_ == State::useless) return false;
  {
    const std::lock_guard lock(all_mutex);
    all.insert(this);
  }
  find_machines();
  return true;
}

/// By MPI_Comm_create, which copies none of the program's attributes as MPI_Comm_dup would.
bool Communicator::make_own() {
  const ErrorsReturn errors_return(comm_);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm_, &group);
  int made = PMPI_Comm_create(comm_, group, &own_) == MPI_SUCCESS && own_ != MPI_COMM_NULL ? 1 : 0;
  PMPI_Group_free(&group);
  PMPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, comm_);
  if (made == 1) {
    PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
    return true;
  }
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
  own_ = MPI_COMM_NULL;
  return false;
}

/// Ranks that can share memory are on one machine: the MPI is asked, no file is believed.
void Communicator::find_machines() {
  MPI_Comm machine = MPI_COMM_NULL;
  PMPI_Comm_split_type(own_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  auto first = static_cast<int>(rank_);
  PMPI_Bcast(&first, 1, MPI_INT, 0, machine);
  PMPI_Comm_free(&machine);
  std::vector<int> firsts(ranks_);
  PMPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, own_);
  std::vector<std::uint32_t> number(ranks_, no_id);
  std::uint32_t machines = 0;
  for (const int of_rank : firsts) {
    std::uint32_t& known = number[static_cast<std::size_t>(of_rank)];
    if (known == no_id) known = machines++;
    places_.machine.push_back(known);
  }
  places_.group.assign(machines, 0);
  places_.gateway.assign(machines, true);
}

CompiledCall* Communicator::compiled(const CallShape& shape) {
  for (auto one = compiled_.begin(); one != compiled_.end(); ++one) {
    if (!((*one)->shape() == shape)) continue;
    compiled_.splice(compiled_.begin(), compiled_, one);
    return compiled_.front().get();
  }
  auto made = CompiledCall::make(shape, rank_, places_, own_);
  if (!made) {
    explain(fmt::format("left to the MPI: {}", made.error().message));
    return nullptr;
  }
  compiled_.push_front(std::move(*made));
  if (compiled_.size() > max_compiled) compiled_.pop_back();
  return compiled_.front().get();
}

int Communicator::give_up(const Error& error) {
  state_ = State::useless;
  generation.fetch_add(1, std::memory_order_acq_rel);
  const int code = error.code == 0 ? MPI_ERR_OTHER : error.code;
  PMPI_Comm_call_errhandler(comm_, code);
  return code;
}

/// The program frees its communicator, or MPI_Finalize does.
int Communicator::forget(MPI_Comm, int, void* state, void*) {
  generation.fetch_add(1, std::memory_order_acq_rel);
  delete static_cast<Communicator*>(state);
  return MPI_SUCCESS;
}

namespace {

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else, while all of MPI still works.
int finalize_begins(MPI_Comm, int, void*, void*) {
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
  ended = true;
  generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(all_mutex);
  for (Communicator* const one : all) PMPI_Comm_free(&one->own_);
  all.clear();
  PMPI_Comm_free_keyval(&keyval);
}

}  // namespace ayatori::plugin
