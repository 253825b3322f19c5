#include "disjoint_choices.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "ayatori/base/random.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t moves_per_message = 400;
constexpr std::uint32_t least_tenure = 3;
constexpr std::uint32_t tenure_range = 8;

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

/// Tabu search: a message on a shared link moves to the set that shares least, and does not move back for a while.
class LocalSearch {
 public:
  explicit LocalSearch(const Problem& problem)
      : problem_(problem), load_(problem.links, 0), choice_(problem.messages.size(), 0), random_(1) {
    for (std::uint32_t i = 0; i < choice_.size(); ++i) {
      tabu_until_.emplace_back(problem.messages[i].size(), 0);
      choice_[i] = least_shared(i, 0);
      change(i, 1);
    }
    best_ = choice_;
    best_shared_ = shared();
  }

  /// True if nothing is shared in best().
  bool run() {
    const std::uint64_t moves = moves_per_message * choice_.size();
    for (std::uint64_t move = 1; move <= moves && best_shared_ > 0; ++move) step(move);
    return best_shared_ == 0;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& best() const { return best_; }

 private:
  [[nodiscard]] const std::vector<std::uint32_t>& links(std::uint32_t i, std::uint32_t set) const {
    return problem_.messages[i][set];
  }

  void change(std::uint32_t i, int sign) {
    for (const std::uint32_t link : links(i, choice_[i])) load_[link] += static_cast<std::uint32_t>(sign);
  }

  [[nodiscard]] std::uint64_t sharing(std::uint32_t i, std::uint32_t set) const {
    std::uint64_t sum = 0;
    for (const std::uint32_t link : links(i, set)) sum += load_[link];
    return sum;
  }

  /// Of a message that is on no link now; not one that is tabu, unless all are.
  [[nodiscard]] std::uint32_t least_shared(std::uint32_t i, std::uint64_t now) {
    std::uint32_t found = 0;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t ties = 0;
    for (std::uint32_t set = 0; set < problem_.messages[i].size(); ++set) {
      if (tabu_until_[i][set] > now) continue;
      const std::uint64_t here = sharing(i, set);
      if (here > least) continue;
      ties = here < least ? 1 : ties + 1;
      if (here < least || random_.below(ties) == 0) found = set;
      least = here;
    }
    return found;
  }

  [[nodiscard]] std::uint64_t shared() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t load : load_) sum += load > 1 ? load - 1 : 0;
    return sum;
  }

  void step(std::uint64_t now) {
    conflicting_.clear();
    for (std::uint32_t i = 0; i < choice_.size(); ++i) {
      if (problem_.messages[i].size() > 1 && sharing(i, choice_[i]) > links(i, choice_[i]).size()) {
        conflicting_.push_back(i);
      }
    }
    if (conflicting_.empty()) return;
    const std::uint32_t i = conflicting_[random_.below(conflicting_.size())];
    change(i, -1);
    tabu_until_[i][choice_[i]] = now + least_tenure + random_.below(tenure_range);
    choice_[i] = least_shared(i, now);
    change(i, 1);
    if (const std::uint64_t now_shared = shared(); now_shared < best_shared_) {
      best_ = choice_;
      best_shared_ = now_shared;
    }
  }

  const Problem& problem_;
  std::vector<std::uint32_t> load_;  // by link
  std::vector<std::uint32_t> choice_;
  std::vector<std::vector<std::uint64_t>> tabu_until_;  // by message and set
  std::vector<std::uint32_t> conflicting_;
  std::vector<std::uint32_t> best_;
  std::uint64_t best_shared_ = 0;
  Random random_;
};

/// All choices, those of the message with the fewest sets left first.
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Problem& problem, std::uint64_t max_nodes)
      : problem_(problem),
        taken_(problem.links, false),
        choice_(problem.messages.size(), undecided),
        left_(max_nodes) {}

  bool run() { return place_next(); }
  [[nodiscard]] bool saw_all() const { return left_ > 0; }
  [[nodiscard]] const std::vector<std::uint32_t>& choice() const { return choice_; }

 private:
  static constexpr std::uint32_t undecided = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool is_free(const std::vector<std::uint32_t>& links) const {
    return std::ranges::none_of(links, [&](std::uint32_t link) { return taken_[link]; });
  }

  [[nodiscard]] std::uint64_t sets_left(std::uint32_t i) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(problem_.messages[i], [&](const auto& links) { return is_free(links); }));
  }

  bool place_next() {
    if (left_ == 0) return false;
    --left_;
    std::uint32_t next = undecided;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t i = 0; i < choice_.size() && fewest > 0; ++i) {
      if (choice_[i] != undecided) continue;
      const std::uint64_t left = sets_left(i);
      if (left < fewest) next = i;
      fewest = std::min(fewest, left);
    }
    if (next == undecided) return true;
    for (std::uint32_t set = 0; set < problem_.messages[next].size(); ++set) {
      const auto& links = problem_.messages[next][set];
      if (!is_free(links)) continue;
      for (const std::uint32_t link : links) taken_[link] = true;
      choice_[next] = set;
      if (place_next()) return true;
      choice_[next] = undecided;
      for (const std::uint32_t link : links) taken_[link] = false;
    }
    return false;
  }

  const Problem& problem_;
  std::vector<bool> taken_;  // by link
  std::vector<std::uint32_t> choice_;
  std::uint64_t left_;
};

}  // namespace

DisjointChoices find_disjoint_choices(const std::vector<LinkSets>& messages, std::uint64_t max_nodes) {
  const Problem problem(messages);
  LocalSearch local(problem);
  if (local.run()) return {local.best(), true, false};
  ExhaustiveSearch all(problem, max_nodes);
  if (all.run()) return {all.choice(), true, false};
  return {local.best(), false, all.saw_all()};
}

}  // namespace ayatori
