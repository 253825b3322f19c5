// MPI_Gather(v), MPI_Scatter(v): the root has a block for each rank, the others have their own.
#include <cstring>

#include "call_data.hpp"
#include "calls.hpp"
#include "executed_function.hpp"

namespace ayatori::plugin {

namespace {

using Access = Bytewise::Access;

/// Not at the root: this rank's block, and where a schedule passes on the blocks of others, memory for those.
class OwnBlock {
 public:
  OwnBlock(const Part& part, const Elements& own, Access access, Bytes block)
      : data_(part.kept(own), access), access_(access) {
    const Bytes at = part.on.rank() * block;
    regions_[0] = data_.begin() - at;
    const RegionUse& use = part.call.use(0);
    if (use.first >= at && use.end <= at + block) return;
    subtree_ = Memory(use);
    bytes_ = own.bytes();
    in_subtree_ = subtree_.begin() + at;
    regions_[0] = subtree_.begin();
    if (access == Access::read) copy(data_.begin(), in_subtree_);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const {
    if (access_ == Access::write) copy(in_subtree_, data_.begin());
    data_.finish();
  }

 private:
  void copy(const std::byte* from, std::byte* to) const {
    if (bytes_ > 0) std::memcpy(to, from, bytes_);
  }

  Bytewise data_;
  Access access_;
  Memory subtree_;
  std::byte* in_subtree_ = nullptr;
  Bytes bytes_ = 0;  ///< 0 without a subtree
  std::array<std::byte*, 1> regions_;
};

/// The root's part of a scatter. What it keeps for itself goes to `own`, if that is elsewhere.
class Scattered {
 public:
  Scattered(const Part& part, const Elements& all, const std::optional<Elements>& own, Bytes block)
      : data_(part.kept(all), Access::read), regions_{data_.begin()} {
    if (own) unpack(data_.begin() + part.on.rank() * block, *own);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const {}

 private:
  Bytewise data_;
  std::array<std::byte*, 1> regions_;
};

/// Not at the root, with sizes by rank: only this rank's block is here.
class SizedOwnBlock {
 public:
  SizedOwnBlock(const Part& part, const Elements& own, Access access)
      : data_(part.kept(own), access), regions_(part.on.ranks()), sizes_(part.on.ranks()) {
    regions_[part.on.rank()] = data_.begin();
    sizes_[part.on.rank()] = own.bytes();
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] std::span<const Bytes> sizes() const { return sizes_; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const { data_.finish(); }

 private:
  Bytewise data_;
  std::vector<std::byte*> regions_;
  std::vector<Bytes> sizes_;
};

/// The root's part of a scatter with sizes by rank.
class SizedScattered {
 public:
  SizedScattered(const Part& part, const void* address, const ByRank& counts, const ByRank& displacements,
                 const Layout& layout, const std::optional<Elements>& own)
      : data_(address, counts, displacements, part.kept(layout), Access::read) {
    if (own) unpack(data_.begins()[part.on.rank()], *own);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return data_.begins(); }
  [[nodiscard]] std::span<const Bytes> sizes() const { return data_.sizes(); }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const {}

 private:
  BytewiseBlocks data_;
};

template <typename Pass>
int gather(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received, MPI_Count received_count,
           MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && sent == MPI_IN_PLACE;
  if (is_root && is_wrong(received_count, received_type)) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const bool are_alike = is_root && sent_type == received_type && sent_count == received_count && sent_count != 0;
  if (are_alike && is_wrong_alias(MpiCall::gather, sent, received, root * received_count, received_type)) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  Elements all;
  if (is_root) all = {received, static_cast<Bytes>(received_count), layout_of(received_type)};
  const Bytes block = is_root ? all.bytes() : mine->bytes();
  Dispatch dispatch(comm, MpiCall::gather, block, {.root = static_cast<Rank>(root), .elements = block}, request);
  if (!dispatch) return pass();
  if (!is_root) return dispatch.execute<OwnBlock>(*mine, Access::read, block);
  all.count *= on->ranks();
  return dispatch.execute<BlockOfEach>(all, mine ? Access::write : Access::both, mine, block);
}

template <typename Pass>
int scatter(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received, MPI_Count received_count,
            MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && received == MPI_IN_PLACE;
  if (is_root && is_wrong(sent_count, sent_type)) return pass();
  if (!in_place && is_wrong(received_count, received_type)) return pass();
  const bool are_alike = is_root && sent_type == received_type && sent_count == received_count && sent_count != 0;
  if (are_alike && is_wrong_alias(MpiCall::scatter, received, sent, root * sent_count, sent_type)) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  Elements all;
  if (is_root) all = {sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  const Bytes block = is_root ? all.bytes() : mine->bytes();
  Dispatch dispatch(comm, MpiCall::scatter, block, {.root = static_cast<Rank>(root), .elements = block}, request);
  if (!dispatch) return pass();
  if (!is_root) return dispatch.execute<OwnBlock>(*mine, Access::write, block);
  all.count *= on->ranks();
  return dispatch.execute<Scattered>(all, mine, block);
}

template <typename Count, typename At, typename Pass>
int gatherv(const void* sent, MPI_Count sent_count, MPI_Datatype sent_type, void* received,
            const Count received_counts[], const At received_at[], MPI_Datatype received_type, int root, MPI_Comm comm,
            MPI_Request* request, Pass pass) {
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && sent == MPI_IN_PLACE;
  if (is_root && received_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const bool has_both = is_root && sent_type == received_type && sent_count != 0 && received_counts[root] != 0;
  if (has_both && is_wrong_alias(MpiCall::gatherv, sent, received, received_at[root], received_type)) return pass();
  Dispatch dispatch(comm, MpiCall::gatherv, 0, {.root = static_cast<Rank>(root), .elements = 1, .by_slot = true},
                    request);
  if (!dispatch) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  if (!is_root) return dispatch.execute<SizedOwnBlock>(*mine, Access::read);
  const std::size_t n = on->ranks();
  return dispatch.execute<SizedBlockOfEach>(received, ByRank(received_counts, n), ByRank(received_at, n),
                                            layout_of(received_type), in_place ? Access::both : Access::write, mine);
}

template <typename Count, typename At, typename Pass>
int scatterv(const void* sent, const Count sent_counts[], const At sent_from[], MPI_Datatype sent_type, void* received,
             MPI_Count received_count, MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request,
             Pass pass) {
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && received == MPI_IN_PLACE;
  if (is_root && sent_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && is_wrong(received_count, received_type)) return pass();
  const bool has_both = is_root && sent_type == received_type && received_count != 0 && sent_counts[root] != 0;
  if (has_both && is_wrong_alias(MpiCall::scatterv, received, sent, sent_from[root], sent_type)) return pass();
  Dispatch dispatch(comm, MpiCall::scatterv, 0, {.root = static_cast<Rank>(root), .elements = 1, .by_slot = true},
                    request);
  if (!dispatch) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  if (!is_root) return dispatch.execute<SizedOwnBlock>(*mine, Access::write);
  const std::size_t n = on->ranks();
  return dispatch.execute<SizedScattered>(sent, ByRank(sent_counts, n), ByRank(sent_from, n), layout_of(sent_type),
                                          mine);
}

}  // namespace

void execute_gathers(ayatori_mpi_calls& executed) {
  AYATORI_EXECUTE(executed, Gather, Igather, gather);
  AYATORI_EXECUTE(executed, Gatherv, Igatherv, gatherv);
  AYATORI_EXECUTE(executed, Scatter, Iscatter, scatter);
  AYATORI_EXECUTE(executed, Scatterv, Iscatterv, scatterv);
}

}  // namespace ayatori::plugin
