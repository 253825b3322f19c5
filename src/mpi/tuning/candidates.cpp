#include "ayatori/tuning/candidates.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// Up to here a message takes about as long as its overhead.
constexpr Bytes small = 16384;
constexpr Bytes chunk = 32768;

std::vector<ForcedChoice> usual(MpiCall call, bool is_small) {
  switch (call) {
    case MpiCall::bcast:
      return {is_small ? ForcedChoice{"knomial", 0} : ForcedChoice{"chain", chunk}, {"binomial", 0}};
    case MpiCall::reduce:
      return {is_small ? ForcedChoice{"binomial", 0} : ForcedChoice{"chain", chunk}, {"knomial", 0}};
    case MpiCall::allreduce:
      return {{is_small ? "recursive-doubling" : "rabenseifner", 0}, {is_small ? "binomial" : "ring", 0}};
    case MpiCall::reduce_scatter_block:
    case MpiCall::reduce_scatter:
      return {{"recursive-halving", 0}, {"pairwise", 0}};
    case MpiCall::allgather:
    case MpiCall::allgatherv:
      return {{is_small ? "bruck" : "ring", 0}, {"recursive-doubling", 0}};
    case MpiCall::alltoall:
    case MpiCall::alltoallv:
      return {{"spread", 0}, {"pairwise", 0}};
    case MpiCall::barrier:
      return {{"dissemination", 0}, {"tree", 0}};
    default:
      return {{"linear", 0}};
  }
}

/// Whether machines in several groups reach the network between them through some of them only.
bool needs_gateways(const Placement& placement) {
  const bool all = std::ranges::find(placement.gateway, false) == placement.gateway.end();
  return !all && std::ranges::any_of(placement.group, [](std::uint32_t group) { return group > 0; });
}

}  // namespace

std::vector<ForcedChoice> candidates(MpiCall call, Bytes bytes, const Placement& placement) {
  const bool is_vector = call == MpiCall::bcast || call == MpiCall::reduce || call == MpiCall::allreduce;
  if (needs_gateways(placement)) {
    if (is_vector) return {{"gateways", bytes > small ? small / 2 : 0}, {"hierarchical", 0}};
    if (call == MpiCall::alltoall) return {{"gateways-mixed", 0}, {"gateways", 0}};
  }
  auto found = usual(call, bytes <= small);
  const bool is_rooted_block = call == MpiCall::gather || call == MpiCall::scatter;
  const bool several = placement.machine_count() > 1 && placement.machine_count() < placement.machine.size();
  if (several && !names_of(call).sized_by_rank && !is_rooted_block) found.insert(found.begin(), {"hierarchical", 0});
  return found;
}

}  // namespace ayatori
