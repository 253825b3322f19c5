#include "joint_isolation.hpp"

#include <algorithm>
#include <limits>

#include "ayatori/base/random.hpp"
#include "ayatori/base/set_bits.hpp"
#include "graph_colouring.hpp"
#include "link_prices.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t first_run = 2000;  ///< paths given before the search begins anew
constexpr double longer_run = 1.3;         ///< each run is so much longer than the one before

/// What the search knows of a message.
struct Traveller {
  std::uint32_t hint = 0;  ///< choice that is tried first
  double failures = 1;     ///< how often no path was left
};

class IsolationSearch {
 public:
  IsolationSearch(const JointMessages& messages, const Network& network, std::span<const Footprint> others,
                  std::span<const std::uint32_t> hints, const SearchControl& control)
      : messages_(messages),
        control_(control),
        users_(messages.link_count()),
        owner_(messages.link_count(), no_id),
        owned_by_(messages.link_count(), 0) {
    const std::vector<double> shares = shares_of(network, others);
    for (LinkIndex link = 0; link < messages.link_count(); ++link) taken_.push_back(shares[messages.port(link)] > 0);
    for (const std::uint32_t hint : hints) travellers_.push_back({hint});
  }

  JointIsolation run(std::uint64_t budget) {
    index_links();
    if (!open_without_others()) return {JointIsolation::Outcome::impossible};
    for (double run = first_run; given_ < budget && !control_.stopped(); run *= longer_run) {
      const auto outcome = search(std::min(budget, given_ + static_cast<std::uint64_t>(run)));
      if (outcome == JointIsolation::Outcome::found) return {outcome, given_choice_};
      if (outcome == JointIsolation::Outcome::impossible) return {outcome};
    }
    return {};
  }

 private:
  using Path = std::pair<std::uint32_t, std::uint32_t>;  ///< message and choice

  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t message, std::uint32_t choice) const {
    return messages_.route(message, choice);
  }

  void index_links() {
    for (std::uint32_t m = 0; m < travellers_.size(); ++m) {
      for (std::uint32_t choice = 0; choice < messages_.choice_count(m); ++choice) {
        for (const LinkIndex link : route(m, choice)) users_[link].emplace_back(m, choice);
      }
    }
  }

  /// False if a message has no path that the others leave.
  bool open_without_others() {
    open_.assign(travellers_.size(), ColourSet{});
    given_choice_.assign(travellers_.size(), no_id);
    for (std::uint32_t m = 0; m < travellers_.size(); ++m) {
      for (std::uint32_t choice = 0; choice < messages_.choice_count(m); ++choice) {
        if (std::ranges::none_of(route(m, choice), [&](LinkIndex link) { return taken_[link]; })) open_[m].set(choice);
      }
      if (open_[m].none()) return false;
    }
    return true;
  }

  /// Depth first, until so many paths were given in all runs.
  JointIsolation::Outcome search(std::uint64_t limit) {
    undo_to(0);
    struct Level {
      std::uint32_t message;
      std::size_t trail;
      ColourSet left;
    };
    std::vector<Level> levels;
    bool forward = true;
    while (true) {
      if (forward) {
        const std::uint32_t next = most_constrained();
        if (next == no_id) return JointIsolation::Outcome::found;
        levels.push_back({next, trail_.size(), open_[next]});
      }
      if (levels.empty()) return JointIsolation::Outcome::impossible;
      Level& level = levels.back();
      undo_to(level.trail);
      if (level.left.none()) {
        levels.pop_back();
        forward = false;
        continue;
      }
      if (given_ >= limit || control_.stopped()) return JointIsolation::Outcome::gave_up;
      const std::uint32_t choice = best_choice(level.message, level.left);
      level.left.reset(choice);
      forward = give(level.message, choice);
    }
  }

  [[nodiscard]] std::uint32_t most_constrained() const {
    std::uint32_t best = no_id;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t m = 0; m < travellers_.size(); ++m) {
      if (given_choice_[m] != no_id) continue;
      const double left = static_cast<double>(open_[m].count()) / travellers_[m].failures;
      if (left >= least) continue;
      least = left;
      best = m;
    }
    return best;
  }

  /// What the message had last if that is open, else the one with the most links that its job has already.
  [[nodiscard]] std::uint32_t best_choice(std::uint32_t m, const ColourSet& left) const {
    if (left.test(travellers_[m].hint)) return travellers_[m].hint;
    const std::uint32_t job = messages_.all()[m].job;
    std::uint32_t best = no_id;
    std::size_t most = 0;
    for (std::size_t c = first_set_bit(left); c < left.size(); c = set_bit_from(left, c + 1)) {
      const auto choice = static_cast<std::uint32_t>(c);
      std::size_t own = 1;
      for (const LinkIndex link : route(m, choice)) own += owner_[link] == job ? 1 : 0;
      if (own <= most) continue;
      most = own;
      best = choice;
    }
    return best;
  }

  /// Gives a message a path and strikes what clashes with it. False if some message has none left.
  bool give(std::uint32_t m, std::uint32_t choice) {
    ++given_;
    const JointMessage& message = messages_.all()[m];
    travellers_[m].hint = choice;
    given_choice_[m] = choice;
    trail_.push_back({Change::given, m, choice});
    for (const LinkIndex link : route(m, choice)) {
      own(link, message.job);
      for (const auto& [other, path] : users_[link]) {
        const JointMessage& user = messages_.all()[other];
        if (other == m || !open_[other].test(path)) continue;
        if (user.job == message.job && user.step != message.step) continue;
        if (given_choice_[other] != no_id) continue;
        open_[other].reset(path);
        trail_.push_back({Change::struck, other, path});
        if (open_[other].none()) {
          travellers_[other].failures += 1;
          complete_ownership(m, choice, link);
          return false;
        }
      }
    }
    return true;
  }

  /// A failure stops in the middle of a path: undo_to() expects all of its links to be owned.
  void complete_ownership(std::uint32_t m, std::uint32_t choice, LinkIndex last) {
    const auto links = route(m, choice);
    for (auto link = std::find(links.begin(), links.end(), last) + 1; link != links.end(); ++link) {
      own(*link, messages_.all()[m].job);
    }
  }

  void own(LinkIndex link, std::uint32_t job) {
    owner_[link] = job;
    ++owned_by_[link];
  }

  void undo_to(std::size_t size) {
    for (; trail_.size() > size; trail_.pop_back()) {
      const auto [change, m, choice] = trail_.back();
      if (change == Change::struck) {
        open_[m].set(choice);
        continue;
      }
      given_choice_[m] = no_id;
      for (const LinkIndex link : route(m, choice)) {
        if (--owned_by_[link] == 0) owner_[link] = no_id;
      }
    }
  }

  struct Change {
    enum Kind : std::uint8_t { given, struck };
    Kind kind;
    std::uint32_t message;
    std::uint32_t choice;
  };

  const JointMessages& messages_;
  const SearchControl& control_;
  std::vector<bool> taken_;  // by link: used by others
  std::vector<Traveller> travellers_;
  std::vector<std::vector<Path>> users_;     // by link
  std::vector<ColourSet> open_;              // by message: choices that are left
  std::vector<std::uint32_t> given_choice_;  // by message, or no_id
  std::vector<std::uint32_t> owner_;         // by link: job, or no_id
  std::vector<std::uint32_t> owned_by_;      // by link: messages that have it
  std::vector<Change> trail_;
  std::uint64_t given_ = 0;  // paths, in all runs
};

}  // namespace

JointIsolation isolate_jointly(const JointMessages& messages, const Network& network, std::span<const Footprint> others,
                               std::span<const std::uint32_t> hints, std::uint64_t budget,
                               const SearchControl& control) {
  return IsolationSearch(messages, network, others, hints, control).run(budget);
}

}  // namespace ayatori
