// MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter(_block). Messages carry elements with their gaps, as operations need
// them; what the program receives is written without touching its gaps.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "calls.hpp"
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
};

Result<> play_at(const Part& part, std::byte* vector, const Reduction& reduction) {
  std::byte* const regions[] = {vector};
  return part.call.play(regions, combine_by(reduction));
}

/// Where the result is wanted.
Result<> reduce_to_received(const Part& part, const Vector& vector) {
  const Layout& layout = vector.reduction.layout;
  const void* const from = vector.sent == MPI_IN_PLACE ? vector.received : vector.sent;
  if (layout.packed) {
    if (from != vector.received) std::memcpy(vector.received, from, vector.bytes());
    return play_at(part, static_cast<std::byte*>(vector.received), vector.reduction);
  }
  const Memory work(vector.bytes());
  copy_with_gaps(from, work.begin(), vector.count, layout);
  auto played = play_at(part, work.begin(), vector.reduction);
  copy({work.begin(), vector.count, layout}, {vector.received, vector.count, layout}, part.on.own());
  return played;
}

/// Where it is not: the program's vector must stay as it is.
Result<> reduce_towards_root(const Part& part, const Vector& vector) {
  if (vector.reduction.layout.packed && !part.call.use(0).written) {
    return play_at(part, static_cast<std::byte*>(const_cast<void*>(vector.sent)), vector.reduction);
  }
  const Memory work(vector.bytes());
  copy_with_gaps(vector.sent, work.begin(), vector.count, vector.reduction.layout);
  return play_at(part, work.begin(), vector.reduction);
}

/// Blocks of one size.
Result<> reduce_and_scatter(const Part& part, const Vector& vector, Bytes block_count) {
  const Layout& layout = vector.reduction.layout;
  const Memory work(vector.bytes());
  copy_with_gaps(vector.sent == MPI_IN_PLACE ? vector.received : vector.sent, work.begin(), vector.count, layout);
  auto played = play_at(part, work.begin(), vector.reduction);
  const std::byte* const result = work.begin() + part.on.rank() * block_count * vector.reduction.element_bytes;
  copy({result, block_count, layout}, {vector.received, block_count, layout}, part.on.own());
  return played;
}

/// Blocks of any size: each slot of the schedule is one, those after them hold what is to be combined with our own.
Result<> reduce_and_scatter(const Part& part, const Vector& vector, std::span<const int> counts) {
  const Layout& layout = vector.reduction.layout;
  const Memory work(vector.bytes());
  copy_with_gaps(vector.sent == MPI_IN_PLACE ? vector.received : vector.sent, work.begin(), vector.count, layout);
  std::vector<std::byte*> regions;
  std::vector<Bytes> sizes;
  std::byte* here = work.begin();
  for (const int count : counts) {
    regions.push_back(here);
    sizes.push_back(static_cast<Bytes>(count) * vector.reduction.element_bytes);
    here += sizes.back();
  }
  const Bytes own = sizes[part.on.rank()];
  const Memory scratch(own);
  regions.resize(part.call.region_count(), scratch.begin());
  sizes.resize(part.call.region_count(), own);
  auto played = part.call.play(regions, sizes, combine_by(vector.reduction));
  const Bytes own_count = own / vector.reduction.element_bytes;
  copy({regions[part.on.rank()], own_count, layout}, {vector.received, own_count, layout}, part.on.own());
  return played;
}

/// Whether the MPI should see the call, alike on all ranks.
bool is_for_mpi(int count, MPI_Datatype type, MPI_Op op) {
  return count <= 0 || type == MPI_DATATYPE_NULL || !can_play(op, layout_of(type));
}

CallShape shape_of(const Vector& vector, Bytes elements, Rank root = 0) {
  return {.root = root, .elements = elements, .element_bytes = vector.reduction.element_bytes};
}

}  // namespace

int Reduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const auto pass = [&] { return PMPI_Reduce(sent, received, count, type, op, root, comm); };
  if (root < 0 || is_for_mpi(count, type, op)) return pass();
  const Vector vector{sent, received, static_cast<Bytes>(count), reduction_of(op, layout_of(type))};
  const Turn part(comm, MpiCall::reduce, vector.bytes(), shape_of(vector, vector.count, static_cast<Rank>(root)),
                  is_exact(vector.reduction));
  if (!part) return pass();
  const bool is_root = part->on.rank() == static_cast<Rank>(root);
  return outcome(*part, is_root ? reduce_to_received(*part, vector) : reduce_towards_root(*part, vector));
}

int Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const auto pass = [&] { return PMPI_Allreduce(sent, received, count, type, op, comm); };
  if (is_for_mpi(count, type, op)) return pass();
  const Vector vector{sent, received, static_cast<Bytes>(count), reduction_of(op, layout_of(type))};
  const Turn part(comm, MpiCall::allreduce, vector.bytes(), shape_of(vector, vector.count), is_exact(vector.reduction));
  if (!part) return pass();
  return outcome(*part, reduce_to_received(*part, vector));
}

int Reduce_scatter_block(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const auto pass = [&] { return PMPI_Reduce_scatter_block(sent, received, count, type, op, comm); };
  if (is_for_mpi(count, type, op)) return pass();
  Vector vector{sent, received, static_cast<Bytes>(count), reduction_of(op, layout_of(type))};
  const Turn part(comm, MpiCall::reduce_scatter_block, vector.bytes(), shape_of(vector, vector.count),
                  is_exact(vector.reduction));
  if (!part) return pass();
  const Bytes block_count = vector.count;
  vector.count *= part->on.ranks();
  return outcome(*part, reduce_and_scatter(*part, vector, block_count));
}

int Reduce_scatter(const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const auto pass = [&] { return PMPI_Reduce_scatter(sent, received, counts, type, op, comm); };
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || is_for_mpi(1, type, op)) return pass();
  const std::span<const int> blocks(counts, on->ranks());
  const auto total = std::accumulate(blocks.begin(), blocks.end(), Bytes{0});
  const Vector vector{sent, received, total, reduction_of(op, layout_of(type))};
  const bool alike = std::ranges::adjacent_find(blocks, std::not_equal_to()) == blocks.end();
  if (total == 0 || std::ranges::min(blocks) < 0) return pass();
  CallShape shape = shape_of(vector, static_cast<Bytes>(counts[0]));
  if (!alike) shape = {.elements = 1, .by_slot = true};
  const Turn part(comm, MpiCall::reduce_scatter, vector.bytes() / on->ranks(), shape, is_exact(vector.reduction));
  if (!part) return pass();
  const auto played =
      alike ? reduce_and_scatter(*part, vector, shape.elements) : reduce_and_scatter(*part, vector, blocks);
  return outcome(*part, played);
}

}  // namespace ayatori::plugin
