// MPI_Barrier, MPI_Bcast.
#include <array>

#include "call_data.hpp"
#include "calls.hpp"

namespace ayatori::plugin {

namespace {

class NoData {
 public:
  explicit NoData(const Part&) {}
  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const {}

 private:
  std::array<std::byte*, 2> regions_{};
};

template <typename Pass>
int barrier(MPI_Comm comm, MPI_Request* request, Pass pass) {
  Turn turn(comm, MpiCall::barrier, 0, {}, request);
  return turn ? turn.play<NoData>() : pass();
}

template <typename Pass>
int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request, Pass pass) {
  if (count <= 0 || type == MPI_DATATYPE_NULL || root < 0) return pass();
  const Elements elements{buffer, static_cast<Bytes>(count), layout_of(type)};
  Turn turn(comm, MpiCall::bcast, elements.bytes(), {.root = static_cast<Rank>(root), .elements = elements.bytes()},
            request);
  if (!turn) return pass();
  const bool sends = turn.on().rank() == static_cast<Rank>(root);
  return turn.play<OneBuffer>(elements, sends ? Bytewise::Access::read : Bytewise::Access::write);
}

}  // namespace

int Barrier(MPI_Comm comm) {
  return barrier(comm, nullptr, [&] { return PMPI_Barrier(comm); });
}

int Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const auto pass = [&] { return PMPI_Ibarrier(comm, request); };
  return request == nullptr ? pass() : barrier(comm, request, pass);
}

int Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return bcast(buffer, count, type, root, comm, nullptr, [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

int Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  const auto pass = [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); };
  return request == nullptr ? pass() : bcast(buffer, count, type, root, comm, request, pass);
}

}  // namespace ayatori::plugin
