// MPI_Allgather(v), MPI_Alltoall(v): every rank receives a block from each.
#include "call_data.hpp"
#include "calls.hpp"
#include "executed_function.hpp"

namespace ayatori::plugin {

namespace {

using Access = Bytewise::Access;

class AlltoallData {
 public:
  AlltoallData(const Part& part, const Elements& from, const Elements& to, bool in_place)
      : leaving_(part.kept(from), Access::read, in_place || part.call.use(0).written),
        arriving_(part.kept(to), Access::write),
        regions_{leaving_.begin(), arriving_.begin()} {}

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const { arriving_.finish(); }

 private:
  Bytewise leaving_;
  Bytewise arriving_;
  std::array<std::byte*, 2> regions_;
};

/// One buffer with a block for each rank.
struct Blocks {
  const void* address;
  ByRank counts;
  ByRank displacements;
  Layout layout;
};

class AlltoallvData {
 public:
  AlltoallvData(const Part& part, const Blocks& from, const Blocks& to, bool in_place)
      : arriving_(to.address, to.counts, to.displacements, part.kept(to.layout), Access::write),
        leaving_(from.address, from.counts, from.displacements, part.kept(from.layout), Access::read, in_place),
        regions_(leaving_.begins().begin(), leaving_.begins().end()),
        sizes_(leaving_.sizes().begin(), leaving_.sizes().end()) {
    regions_.insert(regions_.end(), arriving_.begins().begin(), arriving_.begins().end());
    sizes_.insert(sizes_.end(), arriving_.sizes().begin(), arriving_.sizes().end());
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] std::span<const Bytes> sizes() const { return sizes_; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const { arriving_.finish(); }

 private:
  BytewiseBlocks arriving_;
  BytewiseBlocks leaving_;
  std::vector<std::byte*> regions_;
  std::vector<Bytes> sizes_;
};

template <typename Pass>
int allgather(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received, MPI_Count received_count,
              MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || is_wrong(received_count, received_type)) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const bool are_alike = sent_type == received_type && sent_count == received_count && sent_count != 0;
  if (are_alike && is_wrong_alias(MpiCall::allgather, sent, received, on->rank() * received_count, received_type))
    return pass();
  Elements all{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  const Bytes block = all.bytes();
  Dispatch dispatch(comm, MpiCall::allgather, block, {.elements = block}, request);
  if (!dispatch) return pass();
  all.count *= on->ranks();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  return dispatch.execute<BlockOfEach>(all, in_place ? Access::both : Access::write, mine, block);
}

template <typename Count, typename At, typename Pass>
int allgatherv(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received,
               const Count received_counts[], const At received_at[], MPI_Datatype received_type, MPI_Comm comm,
               MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || received_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const bool has_both = sent_type == received_type && sent_count != 0 && received_counts[on->rank()] != 0;
  if (has_both && is_wrong_alias(MpiCall::allgatherv, sent, received, received_at[on->rank()], received_type))
    return pass();
  Dispatch dispatch(comm, MpiCall::allgatherv, 0, {.elements = 1, .by_slot = true}, request);
  if (!dispatch) return pass();
  const std::size_t n = on->ranks();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  return dispatch.execute<SizedBlockOfEach>(received, ByRank(received_counts, n), ByRank(received_at, n),
                                            layout_of(received_type), in_place ? Access::both : Access::write, mine);
}

template <typename Pass>
int alltoall(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received, MPI_Count received_count,
             MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || is_wrong(received_count, received_type)) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const bool are_alike = sent_type == received_type && sent_count == received_count && sent_count != 0;
  if (are_alike && is_wrong_alias(MpiCall::alltoall, sent, received)) return pass();
  Elements to{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  const Bytes block = to.bytes();
  Dispatch dispatch(comm, MpiCall::alltoall, block, {.elements = block}, request);
  if (!dispatch) return pass();
  to.count *= on->ranks();
  Elements from = to;
  if (!in_place) from = {sent, static_cast<Bytes>(sent_count) * on->ranks(), layout_of(sent_type)};
  return dispatch.execute<AlltoallData>(from, to, in_place);
}

template <typename Count, typename At, typename Pass>
int alltoallv(const void* sent, const Count sent_counts[], const At sent_from[], MPI_Datatype sent_type, void* received,
              const Count received_counts[], const At received_at[], MPI_Datatype received_type, MPI_Comm comm,
              MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  const bool in_place = sent == MPI_IN_PLACE;
  if (on == nullptr || received_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && sent_type == MPI_DATATYPE_NULL) return pass();
  if (sent_type == received_type && sent_counts == received_counts &&
      is_wrong_alias(MpiCall::alltoallv, sent, received))
    return pass();
  Dispatch dispatch(comm, MpiCall::alltoallv, 0, {.elements = 1, .by_slot = true}, request);
  if (!dispatch) return pass();
  const std::size_t n = on->ranks();
  const Blocks to{received, {received_counts, n}, {received_at, n}, layout_of(received_type)};
  Blocks from = to;
  if (!in_place) from = {sent, {sent_counts, n}, {sent_from, n}, layout_of(sent_type)};
  return dispatch.execute<AlltoallvData>(from, to, in_place);
}

}  // namespace

void execute_exchanges(ayatori_mpi_calls& executed) {
  AYATORI_EXECUTE(executed, Allgather, Iallgather, allgather);
  AYATORI_EXECUTE(executed, Allgatherv, Iallgatherv, allgatherv);
  AYATORI_EXECUTE(executed, Alltoall, Ialltoall, alltoall);
  AYATORI_EXECUTE(executed, Alltoallv, Ialltoallv, alltoallv);
}

}  // namespace ayatori::plugin
