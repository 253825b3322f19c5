#include "ayatori/artefacts/plan.hpp"

#include <utility>

namespace ayatori {

Plan Plan::destination_mod_k(Rank ranks) {
  return per_destination(Method::destination_mod_k, std::vector<std::uint8_t>(ranks, 0));
}

Plan Plan::per_destination(Method method, std::vector<std::uint8_t> path_bits) {
  Plan plan;
  plan.method_ = method;
  plan.ranks_ = static_cast<Rank>(path_bits.size());
  plan.bits_ = std::move(path_bits);
  return plan;
}

Plan Plan::per_pair(Rank ranks, std::vector<std::uint8_t> path_bits) {
  Plan plan;
  plan.method_ = Method::pair;
  plan.ranks_ = ranks;
  plan.bits_ = std::move(path_bits);
  return plan;
}

}  // namespace ayatori
