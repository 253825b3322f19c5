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

bool has_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::reduce || collective == Collective::gather ||
         collective == Collective::scatter;
}

}  // namespace ayatori
