// MPI_Gather(v), MPI_Scatter(v): the root has a block for each rank, the others have their own.
#include "calls.hpp"
#include "elements.hpp"

namespace ayatori::plugin {

namespace {

using Access = Bytewise::Access;

bool is_wrong(int count, MPI_Datatype type) { return count < 0 || type == MPI_DATATYPE_NULL; }

/// Whether the program touches nothing of its first region but the block of `rank`.
bool touches_only_block(const CompiledCall& call, Rank rank, Bytes block) {
  return call.use(0).first >= rank * block && call.use(0).end <= (rank + Bytes{1}) * block;
}

Result<> gather_at_root(const Part& part, const std::optional<Elements>& sent, const Elements& received, Bytes block) {
  const Bytewise data(received, sent ? Access::write : Access::both, part.on.own());
  if (sent) pack(*sent, data.begin() + part.on.rank() * block, part.on.own());
  std::byte* const regions[] = {data.begin()};
  auto played = part.call.play(regions);
  data.finish();
  return played;
}

Result<> gather_elsewhere(const Part& part, const Elements& sent, Bytes block) {
  const Bytes at = part.on.rank() * block;
  if (touches_only_block(part.call, part.on.rank(), block)) {
    const Bytewise data(sent, Access::read, part.on.own());
    std::byte* const regions[] = {data.begin() - at};
    return part.call.play(regions);
  }
  const Memory subtree(part.call.use(0));
  pack(sent, subtree.begin() + at, part.on.own());
  std::byte* const regions[] = {subtree.begin()};
  return part.call.play(regions);
}

Result<> scatter_at_root(const Part& part, const Elements& sent, const std::optional<Elements>& received, Bytes block) {
  const Bytewise data(sent, Access::read, part.on.own());
  std::byte* const regions[] = {data.begin()};
  auto played = part.call.play(regions);
  if (received) unpack(data.begin() + part.on.rank() * block, *received, part.on.own());
  return played;
}

Result<> scatter_elsewhere(const Part& part, const Elements& received, Bytes block) {
  const Bytes at = part.on.rank() * block;
  if (touches_only_block(part.call, part.on.rank(), block)) {
    const Bytewise data(received, Access::write, part.on.own());
    std::byte* const regions[] = {data.begin() - at};
    auto played = part.call.play(regions);
    data.finish();
    return played;
  }
  const Memory subtree(part.call.use(0));
  std::byte* const regions[] = {subtree.begin()};
  auto played = part.call.play(regions);
  unpack(subtree.begin() + at, received, part.on.own());
  return played;
}

/// A play with sizes by rank in which only this rank's block is here.
Result<> play_own_block(const Part& part, std::byte* begin, Bytes bytes) {
  std::vector<std::byte*> regions(part.on.ranks(), nullptr);
  std::vector<Bytes> sizes(part.on.ranks(), 0);
  regions[part.on.rank()] = begin;
  sizes[part.on.rank()] = bytes;
  return part.call.play(regions, sizes);
}

}  // namespace

int Gather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
           MPI_Datatype received_type, int root, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Gather(sent, sent_count, sent_type, received, received_count, received_type, root, comm);
  };
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && sent == MPI_IN_PLACE;
  if (is_root && is_wrong(received_count, received_type)) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  Elements all;
  if (is_root) all = {received, static_cast<Bytes>(received_count), layout_of(received_type)};
  const Bytes block = is_root ? all.bytes() : mine->bytes();
  const Turn part(comm, MpiCall::gather, block, {.root = static_cast<Rank>(root), .elements = block});
  if (!part) return pass();
  all.count *= on->ranks();
  return outcome(*part, is_root ? gather_at_root(*part, mine, all, block) : gather_elsewhere(*part, *mine, block));
}

int Scatter(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
            MPI_Datatype received_type, int root, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Scatter(sent, sent_count, sent_type, received, received_count, received_type, root, comm);
  };
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && received == MPI_IN_PLACE;
  if (is_root && is_wrong(sent_count, sent_type)) return pass();
  if (!in_place && is_wrong(received_count, received_type)) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  Elements all;
  if (is_root) all = {sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  const Bytes block = is_root ? all.bytes() : mine->bytes();
  const Turn part(comm, MpiCall::scatter, block, {.root = static_cast<Rank>(root), .elements = block});
  if (!part) return pass();
  all.count *= on->ranks();
  return outcome(*part, is_root ? scatter_at_root(*part, all, mine, block) : scatter_elsewhere(*part, *mine, block));
}

int Gatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],
            const int received_at[], MPI_Datatype received_type, int root, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Gatherv(sent, sent_count, sent_type, received, received_counts, received_at, received_type, root, comm);
  };
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && sent == MPI_IN_PLACE;
  if (is_root && received_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && is_wrong(sent_count, sent_type)) return pass();
  const Turn part(comm, MpiCall::gatherv, 0, {.root = static_cast<Rank>(root), .elements = 1, .by_slot = true});
  if (!part) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{sent, static_cast<Bytes>(sent_count), layout_of(sent_type)};
  if (!is_root) {
    const Bytewise data(*mine, Access::read, on->own());
    return outcome(*part, play_own_block(*part, data.begin(), mine->bytes()));
  }
  const BytewiseBlocks data(received, {received_counts, on->ranks()}, {received_at, on->ranks()},
                            layout_of(received_type), in_place ? Access::both : Access::write, on->own());
  if (mine) pack(*mine, data.begins()[on->rank()], on->own());
  const auto played = part->call.play(data.begins(), data.sizes());
  data.finish();
  return outcome(*part, played);
}

int Scatterv(const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,
             int received_count, MPI_Datatype received_type, int root, MPI_Comm comm) {
  const auto pass = [&] {
    return PMPI_Scatterv(sent, sent_counts, sent_from, sent_type, received, received_count, received_type, root, comm);
  };
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || root < 0) return pass();
  const bool is_root = on->rank() == static_cast<Rank>(root);
  const bool in_place = is_root && received == MPI_IN_PLACE;
  if (is_root && sent_type == MPI_DATATYPE_NULL) return pass();
  if (!in_place && is_wrong(received_count, received_type)) return pass();
  const Turn part(comm, MpiCall::scatterv, 0, {.root = static_cast<Rank>(root), .elements = 1, .by_slot = true});
  if (!part) return pass();
  std::optional<Elements> mine;
  if (!in_place) mine = Elements{received, static_cast<Bytes>(received_count), layout_of(received_type)};
  if (!is_root) {
    const Bytewise data(*mine, Access::write, on->own());
    const auto played = play_own_block(*part, data.begin(), mine->bytes());
    data.finish();
    return outcome(*part, played);
  }
  const BytewiseBlocks data(sent, {sent_counts, on->ranks()}, {sent_from, on->ranks()}, layout_of(sent_type),
                            Access::read, on->own());
  const auto played = part->call.play(data.begins(), data.sizes());
  if (mine) unpack(data.begins()[on->rank()], *mine, on->own());
  return outcome(*part, played);
}

}  // namespace ayatori::plugin
