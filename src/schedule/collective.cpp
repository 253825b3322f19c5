#include "ayatori/schedule/collective.hpp"

#include <array>

namespace ayatori {

namespace {

struct Word {
  Collective collective;
  std::string_view word;
};

constexpr std::array words{
    Word{Collective::alltoall, "alltoall"},   Word{Collective::alltoallv, "alltoallv"},
    Word{Collective::broadcast, "broadcast"}, Word{Collective::reduce, "reduce"},
    Word{Collective::allreduce, "allreduce"}, Word{Collective::reduce_scatter, "reduce_scatter"},
    Word{Collective::allgather, "allgather"}, Word{Collective::gather, "gather"},
    Word{Collective::scatter, "scatter"},     Word{Collective::barrier, "barrier"},
    Word{Collective::halo, "halo"},
};

}  // namespace

std::string_view to_word(Collective collective) {
  for (const Word& known : words) {
    if (known.collective == collective) return known.word;
  }
  return "unknown";
}

std::optional<Collective> parse_collective(std::string_view word) {
  for (const Word& known : words) {
    if (known.word == word) return known.collective;
  }
  return std::nullopt;
}

SlotRange slots_at_start(const CollectiveCall& call, std::uint32_t blocks, Rank rank) {
  const SlotRange nothing;
  switch (call.collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::reduce_scatter:
      return {0, call.ranks};
    case Collective::broadcast:
      return rank == call.root ? SlotRange{0, blocks} : nothing;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::halo:
      return {0, blocks};
    case Collective::allgather:
    case Collective::gather:
      return {rank, 1};
    case Collective::scatter:
      return rank == call.root ? SlotRange{0, call.ranks} : nothing;
    case Collective::barrier:
      return nothing;
  }
  return nothing;
}

SlotRange slots_at_end(const CollectiveCall& call, std::uint32_t blocks, Rank rank) {
  const SlotRange nothing;
  switch (call.collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
      return {call.ranks, call.ranks};
    case Collective::broadcast:
    case Collective::allreduce:
      return {0, blocks};
    case Collective::reduce:
      return rank == call.root ? SlotRange{0, blocks} : nothing;
    case Collective::reduce_scatter:
    case Collective::scatter:
      return {rank, 1};
    case Collective::allgather:
      return {0, call.ranks};
    case Collective::gather:
      return rank == call.root ? SlotRange{0, call.ranks} : nothing;
    case Collective::halo:
      return {blocks, blocks};
    case Collective::barrier:
      return nothing;
  }
  return nothing;
}

}  // namespace ayatori
