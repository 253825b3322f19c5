// MPI_Barrier, MPI_Bcast.
#include "calls.hpp"
#include "elements.hpp"

namespace ayatori::plugin {

int Barrier(MPI_Comm comm) {
  const Turn part(comm, MpiCall::barrier, 0, {});
  if (!part) return PMPI_Barrier(comm);
  std::byte* const regions[] = {nullptr, nullptr};
  return outcome(*part, part->call.play(regions));
}

int Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (count <= 0 || type == MPI_DATATYPE_NULL || root < 0) return PMPI_Bcast(buffer, count, type, root, comm);
  const Elements elements{buffer, static_cast<Bytes>(count), layout_of(type)};
  const Turn part(comm, MpiCall::bcast, elements.bytes(),
                  {.root = static_cast<Rank>(root), .elements = elements.bytes()});
  if (!part) return PMPI_Bcast(buffer, count, type, root, comm);
  const bool sends = part->on.rank() == static_cast<Rank>(root);
  const Bytewise data(elements, sends ? Bytewise::Access::read : Bytewise::Access::write, part->on.own());
  std::byte* const regions[] = {data.begin()};
  const auto played = part->call.play(regions);
  data.finish();
  return outcome(*part, played);
}

}  // namespace ayatori::plugin
