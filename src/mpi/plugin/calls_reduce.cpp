// MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter(_block). Messages carry elements with their gaps, as operations need
// them; what the program receives is written without touching its gaps.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "call_data.hpp"
#include "calls.hpp"
#include "executed_function.hpp"
#include "reduction.hpp"

namespace ayatori::plugin {

namespace {

/// Copies elements with their gaps, but for the gap after the last one, which may lie outside of the buffer.
void copy_with_gaps(const void* from, std::byte* to, Bytes count, const Layout& layout) {
  if (count == 0) return;
  MPI_Aint low = 0;
  MPI_Aint extent = layout.extent;
  if (!layout.packed) PMPI_Type_get_true_extent(layout.type, &low, &extent);
  std::memcpy(to, from, (count - 1) * static_cast<Bytes>(layout.extent) + static_cast<Bytes>(low + extent));
}

/// One vector: of a reduce or an allreduce.
struct Vector {
  const void* sent;
  void* received;
  Bytes count;
  Reduction reduction;

  [[nodiscard]] Bytes bytes() const { return count * reduction.element_bytes; }
  [[nodiscard]] const void* operand() const { return sent == MPI_IN_PLACE ? received : sent; }
};

/// Where the result is wanted: in the program's buffer, or in one with gaps.
class ReducedToReceived {
 public:
  ReducedToReceived(const Part&, const Vector& vector)
      : vector_(vector), regions_{static_cast<std::byte*>(vector.received)} {
    const Layout& layout = vector_.reduction.layout;
    if (!layout.packed) {
      work_ = Memory(vector_.bytes());
      regions_[0] = work_.begin();
      copy_with_gaps(vector_.operand(), work_.begin(), vector_.count, layout);
    } else if (vector_.operand() != vector_.received) {
      std::memcpy(vector_.received, vector_.operand(), vector_.bytes());
    }
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] Combine combine() const { return combine_by(vector_.reduction); }
  void finish() const {
    const Layout& layout = vector_.reduction.layout;
    if (layout.packed) return;
    copy({work_.begin(), vector_.count, layout}, {vector_.received, vector_.count, layout});
  }

 private:
  Vector vector_;
  Memory work_;
  std::array<std::byte*, 1> regions_;
};

/// Where it is not: the program's vector must stay as it is.
class ReducedTowardsRoot {
 public:
  ReducedTowardsRoot(const Part& part, const Vector& vector)
      : reduction_(vector.reduction), regions_{static_cast<std::byte*>(const_cast<void*>(vector.sent))} {
    if (reduction_.layout.packed && !part.call.use(0).written) return;
    work_ = Memory(vector.bytes());
    regions_[0] = work_.begin();
    copy_with_gaps(vector.sent, work_.begin(), vector.count, reduction_.layout);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] Combine combine() const { return combine_by(reduction_); }
  void finish() const {}

 private:
  Reduction reduction_;
  Memory work_;
  std::array<std::byte*, 1> regions_;
};

/// Blocks of one size, of which each rank gets one. Where the execution writes its own block only, the others are sent
/// from where they are, and that one is made in the program's buffer.
class ReducedBlocks {
 public:
  ReducedBlocks(const Part& part, const Vector& vector, Bytes block_count)
      : vector_(vector), block_count_(block_count) {
    const Layout& layout = vector_.reduction.layout;
    const Bytes block = block_count * vector.reduction.element_bytes;
    const Bytes before = part.on.rank() * block;
    const bool in_place = vector.sent == MPI_IN_PLACE;
    if (!part.call.own_block_is_apart() || !layout.packed) {
      work_ = Memory(vector.bytes());
      copy_with_gaps(vector.operand(), work_.begin(), vector.count, layout);
      result_ = work_.begin() + before;
      blocks_ = part.call.blocks(work_.begin(), result_);
      return;
    }
    if (in_place) work_ = Memory(block);
    result_ = in_place ? work_.begin() : static_cast<std::byte*>(vector.received);
    std::memcpy(result_, static_cast<const std::byte*>(vector.operand()) + before, block);
    blocks_ = part.call.blocks(vector.operand(), result_);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return blocks_.regions(); }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] Combine combine() const { return combine_by(vector_.reduction); }
  void finish() const {
    if (result_ == vector_.received) return;
    const Layout& layout = vector_.reduction.layout;
    copy({result_, block_count_, layout}, {vector_.received, block_count_, layout});
  }

 private:
  Vector vector_;
  Bytes block_count_;
  Memory work_;
  std::byte* result_ = nullptr;
  CompiledCall::Blocks blocks_{};
};

/// Blocks of any size: each slot of the schedule is one, those after them hold what is to be combined with our own.
class SizedReducedBlocks {
 public:
  SizedReducedBlocks(const Part& part, const Vector& vector, const ByRank& counts)
      : vector_(vector), work_(vector.bytes()) {
    copy_with_gaps(vector.operand(), work_.begin(), vector.count, vector.reduction.layout);
    std::byte* here = work_.begin();
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      regions_.push_back(here);
      sizes_.push_back(static_cast<Bytes>(counts[rank]) * vector.reduction.element_bytes);
      here += sizes_.back();
    }
    const Bytes own_bytes = sizes_[part.on.rank()];
    own_count_ = own_bytes / vector.reduction.element_bytes;
    result_ = regions_[part.on.rank()];
    scratch_ = Memory(own_bytes);
    regions_.resize(part.call.region_count(), scratch_.begin());
    sizes_.resize(part.call.region_count(), own_bytes);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] std::span<const Bytes> sizes() const { return sizes_; }
  [[nodiscard]] Combine combine() const { return combine_by(vector_.reduction); }
  void finish() const {
    const Layout& layout = vector_.reduction.layout;
    copy({result_, own_count_, layout}, {vector_.received, own_count_, layout});
  }

 private:
  Vector vector_;
  Memory work_;
  Memory scratch_;
  std::byte* result_ = nullptr;
  Bytes own_count_ = 0;
  std::vector<std::byte*> regions_;
  std::vector<Bytes> sizes_;
};

/// Whether the MPI should see the call, alike on all ranks. A call that does not block may go on when the program has
/// freed its operation or datatype, which only the MPI can keep: so it is executed with those that MPI names.
bool is_for_mpi(MPI_Count count, MPI_Datatype type, MPI_Op op, const MPI_Request* request) {
  if (count <= 0 || type == MPI_DATATYPE_NULL || !can_execute(op, layout_of(type))) return true;
  return request != nullptr && !(is_builtin(op) && layout_of(type).is_named);
}

CallShape shape_of(const Vector& vector, Bytes elements, Rank root = 0) {
  return {.root = root,
          .elements = elements,
          .element_bytes = vector.reduction.element_bytes,
          .in_rank_order = !vector.reduction.commutes};
}

template <typename Pass>
int reduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
           MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0 || is_for_mpi(count, type, op, request)) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  if (is_root && is_wrong_alias(MpiCall::reduce, sent, received)) return pass();
  const Vector vector{sent, received, static_cast<Bytes>(count), reduction_of(op, layout_of(type))};
  Dispatch dispatch(comm, MpiCall::reduce, vector.bytes(), shape_of(vector, vector.count, static_cast<Rank>(root)),
                    request, is_exact(vector.reduction));
  if (!dispatch) return pass();
  return is_root ? dispatch.execute<ReducedToReceived>(vector) : dispatch.execute<ReducedTowardsRoot>(vector);
}

template <typename Pass>
int allreduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request* request, Pass pass) {
  if (is_for_mpi(count, type, op, request) || is_wrong_alias(MpiCall::allreduce, sent, received)) return pass();
  const Vector vector{sent, received, static_cast<Bytes>(count), reduction_of(op, layout_of(type))};
  Dispatch dispatch(comm, MpiCall::allreduce, vector.bytes(), shape_of(vector, vector.count), request,
                    is_exact(vector.reduction));
  return dispatch ? dispatch.execute<ReducedToReceived>(vector) : pass();
}

template <typename Pass>
int reduce_scatter_block(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         MPI_Request* request, Pass pass) {
  if (is_for_mpi(count, type, op, request) || is_wrong_alias(MpiCall::reduce_scatter_block, sent, received))
    return pass();
  Vector vector{sent, received, static_cast<Bytes>(count), reduction_of(op, layout_of(type))};
  Dispatch dispatch(comm, MpiCall::reduce_scatter_block, vector.bytes(), shape_of(vector, vector.count), request,
                    is_exact(vector.reduction));
  if (!dispatch) return pass();
  const Bytes block_count = vector.count;
  vector.count *= dispatch.on().ranks();
  return dispatch.execute<ReducedBlocks>(vector, block_count);
}

template <typename Count, typename Pass>
int reduce_scatter(const void* sent, void* received, const Count counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || is_for_mpi(1, type, op, request)) return pass();
  const std::span<const Count> blocks(counts, on->ranks());
  const auto total = std::accumulate(blocks.begin(), blocks.end(), Bytes{0});
  const Vector vector{sent, received, total, reduction_of(op, layout_of(type))};
  const bool alike = std::ranges::adjacent_find(blocks, std::not_equal_to()) == blocks.end();
  if (total == 0 || std::ranges::min(blocks) < 0 || is_wrong_alias(MpiCall::reduce_scatter, sent, received))
    return pass();
  CallShape shape = shape_of(vector, static_cast<Bytes>(counts[0]));
  if (!alike) shape = {.elements = 1, .by_slot = true, .in_rank_order = shape.in_rank_order};
  Dispatch dispatch(comm, MpiCall::reduce_scatter, vector.bytes() / on->ranks(), shape, request,
                    is_exact(vector.reduction));
  if (!dispatch) return pass();
  return alike ? dispatch.execute<ReducedBlocks>(vector, shape.elements)
               : dispatch.execute<SizedReducedBlocks>(vector, ByRank(counts, on->ranks()));
}

}  // namespace

void execute_reductions(ayatori_mpi_calls& executed) {
  AYATORI_EXECUTE(executed, Reduce, Ireduce, reduce);
  AYATORI_EXECUTE(executed, Allreduce, Iallreduce, allreduce);
  AYATORI_EXECUTE(executed, Reduce_scatter_block, Ireduce_scatter_block, reduce_scatter_block);
  AYATORI_EXECUTE(executed, Reduce_scatter, Ireduce_scatter, reduce_scatter);
}

}  // namespace ayatori::plugin
