#include "ayatori/artefacts/plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ayatori {

namespace {

constexpr std::array<std::pair<Method, std::string_view>, 4> method_words = {{
    {Method::base_lids, "base-lids"},
    {Method::rule, "rule"},
    {Method::colour, "colour"},
    {Method::pair, "pair"},
}};

}  // namespace

std::string_view to_word(Method method) {
  return std::ranges::find(method_words, method, &std::pair<Method, std::string_view>::first)->second;
}

std::optional<Method> parse_method(std::string_view word) {
  const auto found = std::ranges::find(method_words, word, &std::pair<Method, std::string_view>::second);
  if (found == method_words.end()) return std::nullopt;
  return found->first;
}

Plan Plan::base_lids(Rank ranks) { return per_destination(Method::base_lids, std::vector<std::uint8_t>(ranks, 0)); }

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
