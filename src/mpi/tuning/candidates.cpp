#include "ayatori/tuning/candidates.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// Up to here a message takes about as long as its overhead.
constexpr Bytes small = 16384;
constexpr Bytes chunk = 32768;

std::vector<ForcedChoice> of_vectors(MpiCall call, Bytes bytes) {
  switch (call) {
    case MpiCall::bcast:
      return bytes <= small ? std::vector<ForcedChoice>{{"knomial", 0}, {"binomial", 0}}
                            : std::vector<ForcedChoice>{{"chain", chunk}, {"knomial", 0}};
    case MpiCall::reduce:
      return bytes <= small ? std::vector<ForcedChoice>{{"binomial", 0}, {"knomial", 0}}
                            : std::vector<ForcedChoice>{{"chain", chunk}, {"mpich-rabenseifner", 0}};
    default:
      return bytes <= small ? std::vector<ForcedChoice>{{"recursive-doubling", 0}, {"binomial", 0}}
                            : std::vector<ForcedChoice>{{"rabenseifner", 0}, {"ring", 0}};
  }
}

std::vector<ForcedChoice> of_blocks(MpiCall call, Bytes bytes) {
  switch (call) {
    case MpiCall::reduce_scatter_block:
    case MpiCall::reduce_scatter:
      return {{"recursive-halving", 0}, {"pairwise", 0}};
    case MpiCall::allgather:
      return bytes <= small ? std::vector<ForcedChoice>{{"bruck", 0}, {"recursive-doubling", 0}}
                            : std::vector<ForcedChoice>{{"ring", 0}, {"recursive-doubling", 0}};
    case MpiCall::allgatherv:
      return {{"ring", 0}, {"bruck", 0}};
    case MpiCall::gather:
    case MpiCall::scatter:
      return {{"linear", 0}, {"binomial", 0}};
    case MpiCall::gatherv:
    case MpiCall::scatterv:
      return {{"linear", 0}};
    case MpiCall::alltoall:
    case MpiCall::alltoallv:
      return {{"spread", 0}, {"pairwise", 0}};
    default:
      return {{"dissemination", 0}, {"tree", 0}};
  }
}

/// Whether machines in several groups reach the network between them through some of them only.
bool needs_gateways(const Placement& placement) {
  const bool all = std::ranges::find(placement.gateway, false) == placement.gateway.end();
  return !all && std::ranges::any_of(placement.group, [](std::uint32_t group) { return group > 0; });
}

/// Through several gateways a group.
std::vector<ForcedChoice> over_gateways(MpiCall call, Bytes bytes) {
  const Bytes pieces = bytes > small ? small / 2 : 0;
  switch (call) {
    case MpiCall::bcast:
    case MpiCall::reduce:
    case MpiCall::allreduce:
      return {{"gateways", pieces}, {"hierarchical", 0}};
    case MpiCall::alltoall:
      return {{"gateways-mixed", 0}, {"gateways", 0}};
    default:
      return {};
  }
}

bool has_hierarchical(MpiCall call) {
  return !names_of(call).sized_by_rank && call != MpiCall::gather && call != MpiCall::scatter;
}

}  // namespace

std::vector<ForcedChoice> candidates(MpiCall call, Bytes bytes, const Placement& placement) {
  const std::size_t ranks = placement.machine.size();
  if (needs_gateways(placement)) {
    if (auto found = over_gateways(call, bytes); !found.empty()) return found;
  }
  const bool is_vector = call == MpiCall::bcast || call == MpiCall::reduce || call == MpiCall::allreduce;
  auto found = is_vector ? of_vectors(call, bytes) : of_blocks(call, bytes);
  const bool several = placement.machine_count() > 1 && placement.machine_count() < ranks;
  if (several && has_hierarchical(call)) {
    found.resize(1);
    found.insert(found.begin(), {"hierarchical", 0});
  }
  return found;
}

}  // namespace ayatori
