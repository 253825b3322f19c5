// MPI_Allgather(v), MPI_Alltoall(v): every rank receives a block from each.
#include "calls.hpp"
#include "elements.hpp"

namespace ayatori::plugin {

namespace {

using Access = Bytewise::Access;

bool is_wrong(int count, MPI_Datatype type) { return count < 0 || type == MPI_DATATYPE_NULL; }

}  // namespace

int Allgather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
              MPI_Datatype received_type, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Allgather(sent, sent_count, sent_type, received, received_count, received_type, comm);
  };
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || is_wrong(received_count, received_type)) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  Elements all{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  const Bytes block = all.bytes();
  const Turn part(comm, MpiCall::allgather, block, {.elements = block});
  if (!part) return pass();
  all.count *= on->ranks();
  const Bytewise data(all, in_place ? Access::both : Access::write, on->own());
  if (!in_place) {
    pack({sent, static_cast<Bytes>(sent_count), layout_of(sent_type)}, data.begin() + on->rank() * block, on->own());
  }
  std::byte* const regions[] = {data.begin()};
  const auto played = part->call.play(regions);
  data.finish();
  return outcome(*part, played);
}

int Allgatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],
               const int received_at[], MPI_Datatype received_type, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Allgatherv(sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm);
  };
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || received_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const Turn part(comm, MpiCall::allgatherv, 0, {.elements = 1, .by_slot = true});
  if (!part) return pass();
  const BytewiseBlocks data(received, {received_counts, on->ranks()}, {received_at, on->ranks()},
                            layout_of(received_type), in_place ? Access::both : Access::write, on->own());
  if (!in_place) {
    pack({sent, static_cast<Bytes>(sent_count), layout_of(sent_type)}, data.begins()[on->rank()], on->own());
  }
  const auto played = part->call.play(data.begins(), data.sizes());
  data.finish();
  return outcome(*part, played);
}

int Alltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
             MPI_Datatype received_type, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Alltoall(sent, sent_count, sent_type, received, received_count, received_type, comm);
  };
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || is_wrong(received_count, received_type)) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  Elements to{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  const Bytes block = to.bytes();
  const Turn part(comm, MpiCall::alltoall, block, {.elements = block});
  if (!part) return pass();
  to.count *= on->ranks();
  Elements from = to;
  if (!in_place) from = {sent, static_cast<Bytes>(sent_count) * on->ranks(), layout_of(sent_type)};
  const Bytewise leaving(from, Access::read, on->own(), in_place || part->call.use(0).written);
  const Bytewise arriving(to, Access::write, on->own());
  std::byte* const regions[] = {leaving.begin(), arriving.begin()};
  const auto played = part->call.play(regions);
  arriving.finish();
  return outcome(*part, played);
}

int Alltoallv(const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,
              const int received_counts[], const int received_at[], MPI_Datatype received_type, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Alltoallv(sent, sent_counts, sent_from, sent_type, received, received_counts, received_at,
                          received_type, comm);
  };
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || received_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && sent_type == MPI_DATATYPE_NULL) return pass();
  const Turn part(comm, MpiCall::alltoallv, 0, {.elements = 1, .by_slot = true});
  if (!part) return pass();
  const std::size_t n = on->ranks();
  const Layout to = layout_of(received_type);
  const BytewiseBlocks arriving(received, {received_counts, n}, {received_at, n}, to, Access::write, on->own());
  const BytewiseBlocks leaving =
      in_place ? BytewiseBlocks(received, {received_counts, n}, {received_at, n}, to, Access::read, on->own(), true)
               : BytewiseBlocks(sent, {sent_counts, n}, {sent_from, n}, layout_of(sent_type), Access::read, on->own());
  std::vector<std::byte*> regions(leaving.begins().begin(), leaving.begins().end());
  regions.insert(regions.end(), arriving.begins().begin(), arriving.begins().end());
  std::vector<Bytes> sizes(leaving.sizes().begin(), leaving.sizes().end());
  sizes.insert(sizes.end(), arriving.sizes().begin(), arriving.sizes().end());
  const auto played = part->call.play(regions, sizes);
  arriving.finish();
  return outcome(*part, played);
}

}  // namespace ayatori::plugin
