#include "cached_calls.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "executed_function.hpp"
#include "reduction.hpp"

namespace ayatori::plugin {

namespace {

/// All on which it depends who executes a call of one function, as this rank sees it.
struct Key {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Count count = 0;
  int root = 0;

  friend bool operator==(const Key&, const Key&) = default;
};

struct Known {
  Key key;
  std::uint64_t epoch = 0;
  Communicator* on = nullptr;
  CompiledCall* call = nullptr;  ///< nullptr: the MPI executes it
  Bytes bytes = 0;               ///< of `count` elements
  Decision* by = nullptr;        ///< counts the calls
  Reduction reduction;
};

constexpr std::size_t known_of_a_function = 32;
std::array<std::array<Known, known_of_a_function>, mpi_call_count> all_known;

/// What is remembered of another epoch counts no more.
std::atomic<std::uint64_t> epoch{1};

/// Off under MPI_THREAD_MULTIPLE.
bool in_use = false;

struct {
  bool is_decided = false;
  Communicator* on = nullptr;
  CompiledCall* call = nullptr;
  Decision* by = nullptr;
} latest;

/// That has counted the call that is being made.
const Decision* counted = nullptr;

Known& place_of(MpiCall call, const Key& key) {
  const auto hash =
      static_cast<std::uint32_t>(key.count) * 0x9E37'79B1U + static_cast<std::uint32_t>(key.root) * 0x0800'0000U;
  return all_known[static_cast<std::size_t>(call)][hash >> 27];
}
static_assert(known_of_a_function == 1U << (32 - 27));

const Known* find_known(MpiCall call, const Key& key) {
  const Known& known = place_of(call, key);
  if (known.epoch == epoch.load(std::memory_order_relaxed) && known.key == key) {
    if (known.by == nullptr || !known.by->count()) return &known;
  }
  latest.is_decided = false;
  return nullptr;
}

/// After a call on the slow path. User-defined types and operations are not cached: their handles may be reused.
[[gnu::noinline]] int cache_call(MpiCall call, const Key& key, int code) {
  if (!std::exchange(latest.is_decided, false) || code != MPI_SUCCESS) return code;
  Layout layout;
  if (key.type != MPI_DATATYPE_NULL) layout = layout_of(key.type);
  if (key.type != MPI_DATATYPE_NULL && (!layout.is_named || !layout.packed)) return code;
  if (key.op != MPI_OP_NULL && !is_builtin(key.op)) return code;
  Known& known = place_of(call, key);
  known = {key, epoch.load(std::memory_order_relaxed), latest.on, latest.call, 0, latest.by, {}};
  if (key.type != MPI_DATATYPE_NULL) known.bytes = static_cast<Bytes>(key.count) * layout.size;
  if (key.op != MPI_OP_NULL) known.reduction = reduction_of(key.op, layout);
  return code;
}

/// The slow path of a cached call that has been counted, but is not executed here.
template <typename SlowPath>
int take_slow_path(const Known& known, SlowPath slow_path) {
  counted = known.by;
  const int code = slow_path();
  counted = nullptr;
  return code;
}

int outcome_of(const Known& known, const Result<>& executed) {
  return executed ? MPI_SUCCESS : known.on->give_up(executed.error());
}

template <std::size_t count>
int execute(const Known& known, std::byte* const (&regions)[count], Combine combine = nullptr) {
  return outcome_of(known, known.call->execute(regions, {}, std::move(combine)));
}

std::byte* bytes_at(const void* address) { return static_cast<std::byte*>(const_cast<void*>(address)); }

/// Copies what the program gave to where the schedule wants it.
void give(const void* from, std::byte* to, Bytes bytes) {
  if (from != MPI_IN_PLACE) std::memcpy(to, from, bytes);
}

/// Whether the schedule touches nothing of its first region but this rank's block.
bool touches_only_own_block(const Known& known) {
  const RegionUse& use = known.call->use(0);
  const Bytes begin = known.on->rank() * known.bytes;
  return use.first >= begin && use.end <= begin + known.bytes;
}

bool is_root(const Known& known) { return known.on->rank() == static_cast<Rank>(known.key.root); }

/// Memory that is kept from call to call, for what is small.
std::byte* small_memory(Bytes bytes) {
  constexpr Bytes max_kept = 65'536;
  static std::vector<std::byte> kept;
  if (bytes > max_kept) return nullptr;
  if (kept.size() < bytes) kept.resize(bytes);
  return kept.data();
}

// Each of these takes the fast path if the call is cached, and the slow path (calls.hpp) otherwise. pass() hands the
// call to the MPI.

template <typename SlowPath, typename Pass>
int cached_barrier(MPI_Comm comm, SlowPath slow_path, Pass pass) {
  const Key key{.comm = comm};
  const Known* const known = find_known(MpiCall::barrier, key);
  if (known == nullptr) return cache_call(MpiCall::barrier, key, slow_path());
  if (known->call == nullptr) return pass();
  std::byte* const regions[] = {nullptr, nullptr};
  return execute(*known, regions);
}

template <typename SlowPath, typename Pass>
int cached_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, SlowPath slow_path,
                 Pass pass) {
  const Key key{comm, type, MPI_OP_NULL, count, root};
  const Known* const known = find_known(MpiCall::bcast, key);
  if (known == nullptr) return cache_call(MpiCall::bcast, key, slow_path());
  if (known->call == nullptr) return pass();
  std::byte* const regions[] = {bytes_at(buffer)};
  return execute(*known, regions);
}

template <typename SlowPath, typename Pass>
int cached_reduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm, SlowPath slow_path, Pass pass) {
  const Key key{comm, type, op, count, root};
  const Known* const known = find_known(MpiCall::reduce, key);
  if (known == nullptr) return cache_call(MpiCall::reduce, key, slow_path());
  if (known->call == nullptr) return pass();
  if (is_root(*known)) {
    give(sent, bytes_at(received), known->bytes);
    std::byte* const regions[] = {bytes_at(received)};
    return execute(*known, regions, combine_by(known->reduction));
  }
  if (known->call->use(0).written) return take_slow_path(*known, slow_path);
  std::byte* const regions[] = {bytes_at(sent)};
  return execute(*known, regions, combine_by(known->reduction));
}

template <typename SlowPath, typename Pass>
int cached_allreduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     SlowPath slow_path, Pass pass) {
  const Key key{comm, type, op, count, 0};
  const Known* const known = find_known(MpiCall::allreduce, key);
  if (known == nullptr) return cache_call(MpiCall::allreduce, key, slow_path());
  if (known->call == nullptr) return pass();
  give(sent, bytes_at(received), known->bytes);
  std::byte* const regions[] = {bytes_at(received)};
  return execute(*known, regions, combine_by(known->reduction));
}

template <typename SlowPath, typename Pass>
int cached_reduce_scatter_block(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm, SlowPath slow_path, Pass pass) {
  const Key key{comm, type, op, count, 0};
  const Known* const known = find_known(MpiCall::reduce_scatter_block, key);
  if (known == nullptr) return cache_call(MpiCall::reduce_scatter_block, key, slow_path());
  if (known->call == nullptr) return pass();
  if (known->call->own_block_is_apart() && sent != MPI_IN_PLACE) {
    const CompiledCall::Blocks blocks = known->call->blocks(sent, bytes_at(received));
    std::memcpy(received, bytes_at(sent) + known->on->rank() * known->bytes, known->bytes);
    return outcome_of(*known, known->call->execute(blocks.regions(), {}, combine_by(known->reduction)));
  }
  const Bytes all = known->bytes * known->on->ranks();
  std::byte* const work = small_memory(all);
  if (work == nullptr) return take_slow_path(*known, slow_path);
  std::memcpy(work, sent == MPI_IN_PLACE ? received : sent, all);
  std::byte* const own = work + known->on->rank() * known->bytes;
  const int code = outcome_of(
      *known, known->call->execute(known->call->blocks(work, own).regions(), {}, combine_by(known->reduction)));
  std::memcpy(received, own, known->bytes);
  return code;
}

template <typename SlowPath, typename Pass>
int cached_allgather(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received,
                     MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm, SlowPath slow_path,
                     Pass pass) {
  if (sent != MPI_IN_PLACE && (sent_count != received_count || sent_type != received_type)) return slow_path();
  const Key key{comm, received_type, MPI_OP_NULL, received_count, 0};
  const Known* const known = find_known(MpiCall::allgather, key);
  if (known == nullptr) return cache_call(MpiCall::allgather, key, slow_path());
  if (known->call == nullptr) return pass();
  give(sent, bytes_at(received) + known->on->rank() * known->bytes, known->bytes);
  std::byte* const regions[] = {bytes_at(received)};
  return execute(*known, regions);
}

template <typename SlowPath, typename Pass>
int cached_gather(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received,
                  MPI_Count received_count, MPI_Datatype received_type, int root, MPI_Comm comm, SlowPath slow_path,
                  Pass pass) {
  if (sent == MPI_IN_PLACE) return slow_path();
  const Key key{comm, sent_type, MPI_OP_NULL, sent_count, root};
  const Known* const known = find_known(MpiCall::gather, key);
  if (known == nullptr) return cache_call(MpiCall::gather, key, slow_path());
  if (known->call == nullptr) return pass();
  const Bytes at = known->on->rank() * known->bytes;
  if (is_root(*known)) {
    if (received_count != sent_count || received_type != sent_type) return take_slow_path(*known, slow_path);
    give(sent, bytes_at(received) + at, known->bytes);
    std::byte* const regions[] = {bytes_at(received)};
    return execute(*known, regions);
  }
  if (!touches_only_own_block(*known)) return take_slow_path(*known, slow_path);
  std::byte* const regions[] = {bytes_at(sent) - at};
  return execute(*known, regions);
}

template <typename SlowPath, typename Pass>
int cached_scatter(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received,
                   MPI_Count received_count, MPI_Datatype received_type, int root, MPI_Comm comm, SlowPath slow_path,
                   Pass pass) {
  if (received == MPI_IN_PLACE) return slow_path();
  const Key key{comm, received_type, MPI_OP_NULL, received_count, root};
  const Known* const known = find_known(MpiCall::scatter, key);
  if (known == nullptr) return cache_call(MpiCall::scatter, key, slow_path());
  if (known->call == nullptr) return pass();
  const Bytes at = known->on->rank() * known->bytes;
  if (is_root(*known)) {
    if (received_count != sent_count || received_type != sent_type) return take_slow_path(*known, slow_path);
    std::byte* const regions[] = {bytes_at(sent)};
    const int code = execute(*known, regions);
    std::memcpy(received, bytes_at(sent) + at, known->bytes);
    return code;
  }
  if (!touches_only_own_block(*known)) return take_slow_path(*known, slow_path);
  std::byte* const regions[] = {bytes_at(received) - at};
  return execute(*known, regions);
}

template <typename SlowPath, typename Pass>
int cached_alltoall(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received,
                    MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm, SlowPath slow_path,
                    Pass pass) {
  if (sent == MPI_IN_PLACE || sent_count != received_count || sent_type != received_type) return slow_path();
  const Key key{comm, received_type, MPI_OP_NULL, received_count, 0};
  const Known* const known = find_known(MpiCall::alltoall, key);
  if (known == nullptr) return cache_call(MpiCall::alltoall, key, slow_path());
  if (known->call == nullptr) return pass();
  if (known->call->use(0).written) return take_slow_path(*known, slow_path);
  std::byte* const regions[] = {bytes_at(sent), bytes_at(received)};
  return execute(*known, regions);
}

/// The functions without a fast path.
ayatori_mpi_calls slow_paths;

/// `call` has the type of the MPI function `Member`.
template <auto Member, auto Quick>
struct Short;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...), auto Quick>
struct Short<Member, Quick> {
  static int call(Arguments... arguments) {
    return Quick(
        arguments..., [&] { return (slow_paths.*Member)(arguments...); },
        [&] { return (ayatori_own_calls.*Member)(arguments...); });
  }
};

#define AYATORI_SHORTEN_FORM(executed, name, quick) \
  put<Short, &ayatori_mpi_calls::name, [](auto... all) { return quick(all...); }>(executed)
#if AYATORI_HAS_LARGE_COUNTS
#define AYATORI_SHORTEN(executed, name, quick) \
  AYATORI_SHORTEN_FORM(executed, name, quick); \
  AYATORI_SHORTEN_FORM(executed, name##_c, quick)
#else
#define AYATORI_SHORTEN(executed, name, quick) AYATORI_SHORTEN_FORM(executed, name, quick)
#endif

}  // namespace

void begin_cached_calls(struct ayatori_mpi_calls& executed) {
  if (process().level == MPI_THREAD_MULTIPLE) return;
  in_use = true;
  slow_paths = executed;
  AYATORI_SHORTEN_FORM(executed, Barrier, cached_barrier);
  AYATORI_SHORTEN(executed, Bcast, cached_bcast);
  AYATORI_SHORTEN(executed, Reduce, cached_reduce);
  AYATORI_SHORTEN(executed, Allreduce, cached_allreduce);
  AYATORI_SHORTEN(executed, Reduce_scatter_block, cached_reduce_scatter_block);
  AYATORI_SHORTEN(executed, Allgather, cached_allgather);
  AYATORI_SHORTEN(executed, Gather, cached_gather);
  AYATORI_SHORTEN(executed, Scatter, cached_scatter);
  AYATORI_SHORTEN(executed, Alltoall, cached_alltoall);
}

void note_executor(Communicator* on, CompiledCall* executed, Decision* by) {
  if (in_use) latest = {true, on, executed, by};
}

bool was_counted(const Decision& by) { return in_use && counted == &by; }

void forget_cached_calls() { epoch.fetch_add(1, std::memory_order_relaxed); }

}  // namespace ayatori::plugin
