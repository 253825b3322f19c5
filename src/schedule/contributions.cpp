#include "contributions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ayatori {

Value Contributions::intern(Terms terms) {
  const auto [entry, is_new] = known_.try_emplace(std::move(terms), static_cast<Value>(terms_.size()));
  if (is_new) terms_.push_back(&entry->first);
  return entry->second;
}

Value Contributions::one(Rank rank, Slot slot) { return intern({{rank, slot, 1}}); }

Value Contributions::of_all(Rank ranks, Slot slot) {
  Terms terms;
  for (Rank rank = 0; rank < ranks; ++rank) terms.push_back({rank, slot, 1});
  return intern(std::move(terms));
}

Value Contributions::sum(Value a, Value b) {
  if (a > b) std::swap(a, b);
  const auto [entry, is_new] = sums_.try_emplace(std::uint64_t{a} << 32 | b, nothing);
  if (!is_new) return entry->second;
  Terms all = *terms_[a];
  all.insert(all.end(), terms_[b]->begin(), terms_[b]->end());
  std::sort(all.begin(), all.end());
  Terms merged;
  for (const Term& term : all) {
    if (!merged.empty() && merged.back().rank == term.rank && merged.back().slot == term.slot) {
      merged.back().times += term.times;
    } else {
      merged.push_back(term);
    }
  }
  return entry->second = intern(std::move(merged));
}

std::pair<Rank, Slot> Contributions::only(Value value) const {
  const Terms& terms = *terms_[value];
  if (terms.size() != 1 || terms.front().times != 1) return {no_id, 0};
  return {terms.front().rank, terms.front().slot};
}

std::string Contributions::describe(Value value) const {
  constexpr std::size_t most = 3;
  const Terms& terms = *terms_[value];
  if (terms.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < std::min(most, terms.size()); ++i) {
    const Term& term = terms[i];
    text += fmt::format("{}rank {}'s slot {}", i == 0 ? "" : ", ", term.rank, term.slot);
    if (term.times > 1) text += fmt::format(" {} times", term.times);
  }
  if (terms.size() > most) text += fmt::format(", ... ({} in all)", terms.size());
  return text;
}

}  // namespace ayatori
