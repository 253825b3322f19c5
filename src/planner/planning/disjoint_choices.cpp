#include "disjoint_choices.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

namespace ayatori {

namespace {

/// Messages with their links numbered from 0.
struct Problem {
  std::vector<LinkSets> messages;
  std::uint32_t links = 0;

  explicit Problem(const std::vector<LinkSets>& given) : messages(given) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (LinkSets& sets : messages) {
      for (auto& set : sets) {
        for (std::uint32_t& link : set) {
          link = numbers.try_emplace(link, static_cast<std::uint32_t>(numbers.size())).first->second;
        }
      }
    }
    links = static_cast<std::uint32_t>(numbers.size());
  }
};

/// For one message after the other, the set whose links the fewest earlier messages have.
std::vector<std::uint32_t> least_shared(const Problem& problem) {
  std::vector<std::uint32_t> load(problem.links, 0);
  std::vector<std::uint32_t> choice;
  for (const LinkSets& sets : problem.messages) {
    const auto sharing = [&](const std::vector<std::uint32_t>& links) {
      std::uint64_t sum = 0;
      for (const std::uint32_t link : links) sum += load[link];
      return sum;
    };
    const auto best = std::ranges::min_element(sets, {}, sharing);
    for (const std::uint32_t link : *best) ++load[link];
    choice.push_back(static_cast<std::uint32_t>(best - sets.begin()));
  }
  return choice;
}

/// A set of a message without the links that no other message can take.
struct Candidate {
  std::uint32_t set = 0;
  std::vector<std::uint32_t> links;  // sorted
  std::vector<std::uint32_t> path;   // all links of the set, in the order in which they were given
};

/// Of each message the sets that are worth a try: not those whose contested links include all of another set's.
std::vector<std::vector<Candidate>> worth_a_try(const Problem& problem) {
  constexpr auto several = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> user(problem.links, several - 1);  // of each link: nobody yet, a message, or several
  for (std::uint32_t i = 0; i < problem.messages.size(); ++i) {
    for (const auto& set : problem.messages[i]) {
      for (const std::uint32_t link : set) user[link] = user[link] == several - 1 || user[link] == i ? i : several;
    }
  }
  std::vector<std::vector<Candidate>> kept(problem.messages.size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    std::vector<Candidate> all;
    for (std::uint32_t set = 0; set < problem.messages[i].size(); ++set) {
      Candidate candidate{set, problem.messages[i][set], problem.messages[i][set]};
      std::erase_if(candidate.links, [&](std::uint32_t link) { return user[link] != several; });
      std::ranges::sort(candidate.links);
      all.push_back(std::move(candidate));
    }
    std::ranges::stable_sort(all, {}, [](const Candidate& candidate) { return candidate.links.size(); });
    for (Candidate& candidate : all) {
      const bool included = std::ranges::any_of(
          kept[i], [&](const Candidate& other) { return std::ranges::includes(candidate.links, other.links); });
      if (!included) kept[i].push_back(std::move(candidate));
    }
  }
  return kept;
}

/// All choices, those of the message with the fewest sets left first. Messages that can no longer meet are looked at
/// apart: whether some of them find links does not depend on what the others take. And where the first links of all
/// messages can't differ, or the second, or the last, nothing below is looked at.
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Problem& problem, std::uint64_t max_nodes)
      : candidates_(worth_a_try(problem)),
        taken_(problem.links, false),
        seen_by_(problem.links, nobody),
        holder_(problem.links, nobody),
        choice_(problem.messages.size(), 0),
        left_(max_nodes) {}

  bool run() {
    std::vector<std::uint32_t> all(choice_.size());
    std::iota(all.begin(), all.end(), 0U);
    return place_apart(all);
  }
  [[nodiscard]] bool saw_all() const { return left_ > 0; }
  [[nodiscard]] const std::vector<std::uint32_t>& choice() const { return choice_; }

 private:
  using Messages = std::vector<std::uint32_t>;
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool is_free(const Candidate& candidate) const {
    return std::ranges::none_of(candidate.links, [&](std::uint32_t link) { return taken_[link]; });
  }

  [[nodiscard]] std::int64_t sets_left(std::uint32_t i) const {
    return std::ranges::count_if(candidates_[i], [&](const Candidate& candidate) { return is_free(candidate); });
  }

  void put(std::uint32_t i, const Candidate& candidate, bool there) {
    choice_[i] = candidate.set;
    for (const std::uint32_t link : candidate.links) taken_[link] = there;
  }

  /// Groups of messages none of which can take a link of another group's, small ones first.
  [[nodiscard]] std::vector<Messages> groups_of(const Messages& messages) {
    std::vector<std::uint32_t> group(messages.size());
    std::iota(group.begin(), group.end(), 0U);
    const auto root = [&](std::uint32_t of) {
      while (group[of] != of) of = group[of];
      return of;
    };
    std::vector<std::uint32_t> links;
    for (std::uint32_t n = 0; n < messages.size(); ++n) {
      for (const Candidate& candidate : candidates_[messages[n]]) {
        if (!is_free(candidate)) continue;
        for (const std::uint32_t link : candidate.links) {
          if (seen_by_[link] == nobody) links.push_back(link);
          if (seen_by_[link] != nobody) group[root(n)] = root(seen_by_[link]);
          seen_by_[link] = n;
        }
      }
    }
    for (const std::uint32_t link : links) seen_by_[link] = nobody;
    std::vector<Messages> groups(messages.size());
    for (std::uint32_t n = 0; n < messages.size(); ++n) groups[root(n)].push_back(messages[n]);
    std::erase_if(groups, [](const Messages& each) { return each.empty(); });
    std::ranges::stable_sort(groups, {}, [](const Messages& each) { return each.size(); });
    return groups;
  }

  bool place_apart(const Messages& messages) {
    const std::vector<bool> before = taken_;
    for (const Messages& group : groups_of(messages)) {
      if (place_next(group)) continue;
      taken_ = before;
      return false;
    }
    return true;
  }

  /// The link at this place of a path; negative places count from its end.
  static std::uint32_t link_at(const Candidate& candidate, int place) {
    const auto length = static_cast<int>(candidate.path.size());
    const int index = place >= 0 ? place : length + place;
    return index >= 0 && index < length ? candidate.path[static_cast<std::size_t>(index)] : nobody;
  }

  /// Gives message i a link of its own at this place, of those in `tried` none; others may have to take other ones (an
  /// augmenting path, Kuhn 1955). True also if one of its sets has no link there.
  bool give_link(std::uint32_t i, int place, std::vector<std::uint32_t>& tried) {
    for (const Candidate& candidate : candidates_[i]) {
      if (!is_free(candidate)) continue;
      const std::uint32_t link = link_at(candidate, place);
      if (link == nobody) return true;
      if (std::ranges::find(tried, link) != tried.end()) continue;
      tried.push_back(link);
      if (holder_[link] != nobody && !give_link(holder_[link], place, tried)) continue;
      if (holder_[link] == nobody) held_.push_back(link);
      holder_[link] = i;
      return true;
    }
    return false;
  }

  /// Whether all messages can have different links at this place.
  bool can_differ(const Messages& group, int place) {
    std::vector<std::uint32_t> tried;
    const bool all = std::ranges::all_of(group, [&](std::uint32_t i) {
      tried.clear();
      return give_link(i, place, tried);
    });
    for (const std::uint32_t link : held_) holder_[link] = nobody;
    held_.clear();
    return all;
  }

  bool place_next(const Messages& group) {
    if (left_ == 0) return false;
    --left_;
    constexpr std::array places{0, 1, -1, -2};
    if (!std::ranges::all_of(places, [&](int place) { return can_differ(group, place); })) return false;
    const auto next = std::ranges::min_element(group, {}, [&](std::uint32_t i) { return sets_left(i); });
    Messages others = group;
    std::erase(others, *next);
    for (const Candidate& candidate : candidates_[*next]) {
      if (!is_free(candidate)) continue;
      put(*next, candidate, true);
      if (place_apart(others)) return true;
      put(*next, candidate, false);
    }
    return false;
  }

  std::vector<std::vector<Candidate>> candidates_;  // by message
  std::vector<bool> taken_;                         // by link
  std::vector<std::uint32_t> seen_by_;              // by link; of groups_of()
  std::vector<std::uint32_t> holder_;               // by link; of can_differ()
  std::vector<std::uint32_t> held_;
  std::vector<std::uint32_t> choice_;
  std::uint64_t left_;
};

}  // namespace

DisjointChoices find_disjoint_choices(const std::vector<LinkSets>& messages, std::uint64_t max_nodes) {
  const Problem problem(messages);
  ExhaustiveSearch all(problem, max_nodes);
  if (all.run()) return {all.choice(), true, false};
  return {least_shared(problem), false, all.saw_all()};
}

}  // namespace ayatori
