// MPI_Barrier, MPI_Bcast.
#include <array>

#include "call_data.hpp"
#include "calls.hpp"
#include "executed_function.hpp"

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
  Dispatch dispatch(comm, MpiCall::barrier, 0, {}, request);
  return dispatch ? dispatch.execute<NoData>() : pass();
}

template <typename Pass>
int bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request, Pass pass) {
  if (count <= 0 || type == MPI_DATATYPE_NULL || root < 0) return pass();
  const Elements elements{buffer, static_cast<Bytes>(count), layout_of(type)};
  Dispatch dispatch(comm, MpiCall::bcast, elements.bytes(),
                    {.root = static_cast<Rank>(root), .elements = elements.bytes()}, request);
  if (!dispatch) return pass();
  const bool sends = dispatch.on().rank() == static_cast<Rank>(root);
  return dispatch.execute<OneBuffer>(elements, sends ? Bytewise::Access::read : Bytewise::Access::write);
}

}  // namespace

void execute_broadcasts(ayatori_mpi_calls& executed) {
  AYATORI_EXECUTE_FORMS(executed, Barrier, Ibarrier, barrier);
  AYATORI_EXECUTE(executed, Bcast, Ibcast, bcast);
}

}  // namespace ayatori::plugin
