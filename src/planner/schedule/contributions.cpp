#include "contributions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "ayatori/schedule/verify.hpp"

namespace ayatori {

std::size_t Contributions::Hash::operator()(const Rises& rises) const {
  std::uint64_t hash = rises.size();
  for (const Rise& rise : rises) {
    for (const std::uint64_t part : {std::uint64_t{rise.slot}, std::uint64_t{rise.rank}, std::uint64_t(rise.by)}) {
      hash = (hash ^ part) * 0x9E37'79B9'7F4A'7C15;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

Value Contributions::intern(Rises rises) {
  const auto [entry, is_new] = known_.try_emplace(std::move(rises), static_cast<Value>(rises_.size()));
  if (is_new) rises_.push_back(&entry->first);
  return entry->second;
}

Value Contributions::sum(Value a, Value b) {
  if (a > b) std::swap(a, b);
  const auto [entry, is_new] = sums_.try_emplace(std::uint64_t{a} << 32 | b, nothing);
  if (!is_new) return entry->second;
  work_ += 1 + rises_[a]->size() + rises_[b]->size();
  Rises merged;
  auto left = rises_[a]->begin();
  auto right = rises_[b]->begin();
  while (left != rises_[a]->end() || right != rises_[b]->end()) {
    const bool from_left =
        right == rises_[b]->end() ||
        (left != rises_[a]->end() && std::tie(left->slot, left->rank) <= std::tie(right->slot, right->rank));
    const Rise& next = from_left ? *left++ : *right++;
    const bool same = !merged.empty() && merged.back().slot == next.slot && merged.back().rank == next.rank;
    if (!same) {
      merged.push_back(next);
    } else if ((merged.back().by += next.by) == 0) {
      merged.pop_back();
    }
  }
  too_often_ = too_often_ || has_too_many(merged);
  return entry->second = intern(std::move(merged));
}

/// A slot's rises add up to 0, so those of slots before do not count.
bool Contributions::has_too_many(const Rises& rises) {
  std::int32_t times = 0;
  return std::ranges::any_of(rises, [&](const Rise& rise) { return (times += rise.by) > max_times_combined; });
}

std::pair<Rank, Slot> Contributions::only(Value value) const {
  const Rises& rises = *rises_[value];
  const bool one = rises.size() == 2 && rises[0].by == 1 && rises[1].rank == rises[0].rank + 1;
  return one ? std::pair{rises[0].rank, rises[0].slot} : std::pair{no_id, Slot{0}};
}

std::pair<Rank, Rank> Contributions::ranks_of(Value value) const {
  const Rises& rises = *rises_[value];
  return {rises.front().rank, rises.back().rank - 1};
}

std::string Contributions::describe(Value value) const {
  constexpr std::size_t most = 4;
  const Rises& rises = *rises_[value];
  if (rises.empty()) return "nothing";
  std::string text;
  std::int32_t times = 0;
  for (std::size_t i = 0; i + 1 < rises.size(); ++i) {
    times += rises[i].by;
    if (times == 0) continue;
    if (i > most) return text + ", ...";
    const Rank last = rises[i + 1].rank - 1;
    text +=
        fmt::format("{}slot {} of rank{}", text.empty() ? "" : ", ", rises[i].slot, last > rises[i].rank ? "s " : " ");
    text += last > rises[i].rank ? fmt::format("{} ... {}", rises[i].rank, last) : fmt::format("{}", last);
    if (times > 1) text += fmt::format(" {} times", times);
  }
  return text;
}

}  // namespace ayatori
