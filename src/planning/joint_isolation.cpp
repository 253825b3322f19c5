#include "joint_isolation.hpp"

#include <algorithm>
#include <limits>

#include "ayatori/base/random.hpp"
#include "graph_colouring.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_messages = 4000;         ///< of all jobs
constexpr std::size_t max_path_links = 4'000'000;  ///< of all paths of all messages
constexpr std::uint64_t first_run = 2000;          ///< paths given before the search begins anew
constexpr double longer_run = 1.3;                 ///< each run is so much longer than the one before

/// A message between leaves, and what it may take.
struct Traveller {
  std::uint32_t job = 0;
  std::uint32_t step = 0;  ///< of all jobs
  std::size_t pair = 0;    ///< of the job, source-major
  std::uint32_t leaf = 0;
  std::uint32_t endpoint = 0;
  std::uint32_t hint = 0;  ///< choice that is tried first
  double failures = 1;     ///< how often no path was left
};

class IsolationSearch {
 public:
  IsolationSearch(std::span<const BesideTask> jobs, std::span<const Footprint> others, std::span<const Plan> hints)
      : jobs_(jobs) {
    if (jobs.empty()) return;
    taken_ = shares_of(jobs[0].network, others);
    owner_.assign(taken_.size(), no_id);
    owned_by_.assign(taken_.size(), 0);
    for (std::uint32_t job = 0; job < jobs.size(); ++job) collect(job, hints[job]);
  }

  [[nodiscard]] bool applies() const { return fits_ && travellers_.size() <= max_messages; }

  JointIsolation run(std::uint64_t budget) {
    index_links();
    if (!open_without_others()) return {JointIsolation::Outcome::impossible};
    for (double run = first_run; given_ < budget; run *= longer_run) {
      const auto outcome = search(std::min(budget, given_ + static_cast<std::uint64_t>(run)));
      if (outcome == JointIsolation::Outcome::found) return {outcome, plans()};
      if (outcome == JointIsolation::Outcome::impossible) return {outcome};
    }
    return {};
  }

 private:
  using Path = std::pair<std::uint32_t, std::uint32_t>;  ///< message and choice

  void collect(std::uint32_t job, const Plan& hint) {
    const BesideTask& task = jobs_[job];
    const auto ranks = static_cast<Rank>(task.endpoints.rank_count());
    if (task.paths.max_choices() > max_colours) fits_ = false;
    std::vector<bool> met(std::size_t{ranks} * ranks, false);
    std::vector<Message> messages;
    for (std::size_t s = 0; s < task.steps.step_count(); ++s, ++steps_) {
      task.steps.step(s, messages);
      for (const Message& m : messages) {
        if (!task.endpoints.crosses_leaves(m)) continue;
        const std::size_t pair = std::size_t{m.from} * ranks + m.to;
        if (met[pair] || travellers_.size() > max_messages) fits_ = false;
        if (!fits_) return;
        met[pair] = true;
        Traveller traveller{job, steps_, pair, task.endpoints.leaf(task.endpoints.endpoint_of(m.from)),
                            task.endpoints.endpoint_of(m.to)};
        const std::uint32_t choices = task.paths.choice_count(traveller.endpoint);
        for (std::uint32_t choice = 0; choice < choices; ++choice) {
          if (task.paths.path_bits(traveller.endpoint, choice) == hint.path_bits(m.from, m.to)) traveller.hint = choice;
          path_links_ += route(traveller, choice).size();
        }
        fits_ = fits_ && path_links_ <= max_path_links;
        travellers_.push_back(traveller);
      }
    }
  }

  [[nodiscard]] std::span<const LinkIndex> route(const Traveller& message, std::uint32_t choice) const {
    return jobs_[message.job].paths.route(message.leaf, message.endpoint, choice);
  }
  [[nodiscard]] PortId port(const Traveller& message, LinkIndex link) const {
    return jobs_[message.job].paths.port(link);
  }

  void index_links() {
    users_.resize(taken_.size());
    for (std::uint32_t m = 0; m < travellers_.size(); ++m) {
      const Traveller& message = travellers_[m];
      const std::uint32_t choices = jobs_[message.job].paths.choice_count(message.endpoint);
      for (std::uint32_t choice = 0; choice < choices; ++choice) {
        for (const LinkIndex link : route(message, choice)) users_[port(message, link)].emplace_back(m, choice);
      }
    }
  }

  /// False if a message has no path that the others leave.
  bool open_without_others() {
    open_.assign(travellers_.size(), ColourSet{});
    given_choice_.assign(travellers_.size(), no_id);
    for (std::uint32_t m = 0; m < travellers_.size(); ++m) {
      const Traveller& message = travellers_[m];
      const std::uint32_t choices = jobs_[message.job].paths.choice_count(message.endpoint);
      for (std::uint32_t choice = 0; choice < choices; ++choice) {
        const auto links = route(message, choice);
        if (std::ranges::all_of(links, [&](LinkIndex link) { return taken_[port(message, link)] == 0; })) {
          open_[m].set(choice);
        }
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
      if (given_ >= limit) return JointIsolation::Outcome::gave_up;
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
    const Traveller& message = travellers_[m];
    if (left.test(message.hint)) return message.hint;
    std::uint32_t best = no_id;
    std::size_t most = 0;
    for (std::size_t c = left._Find_first(); c < left.size(); c = left._Find_next(c)) {
      const auto choice = static_cast<std::uint32_t>(c);
      std::size_t own = 1;
      for (const LinkIndex link : route(message, choice)) own += owner_[port(message, link)] == message.job ? 1 : 0;
      if (own <= most) continue;
      most = own;
      best = choice;
    }
    return best;
  }

  /// Gives a message a path and strikes what clashes with it. False if some message has none left.
  bool give(std::uint32_t m, std::uint32_t choice) {
    ++given_;
    Traveller& message = travellers_[m];
    message.hint = choice;
    given_choice_[m] = choice;
    trail_.push_back({Change::given, m, choice});
    for (const LinkIndex link : route(message, choice)) {
      const PortId id = port(message, link);
      owner_[id] = message.job;
      ++owned_by_[id];
      for (const auto& [other, path] : users_[id]) {
        const Traveller& user = travellers_[other];
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
    const Traveller& message = travellers_[m];
    const auto links = route(message, choice);
    for (auto link = std::find(links.begin(), links.end(), last) + 1; link != links.end(); ++link) {
      owner_[port(message, *link)] = message.job;
      ++owned_by_[port(message, *link)];
    }
  }

  void undo_to(std::size_t size) {
    for (; trail_.size() > size; trail_.pop_back()) {
      const auto [change, m, choice] = trail_.back();
      if (change == Change::struck) {
        open_[m].set(choice);
        continue;
      }
      given_choice_[m] = no_id;
      for (const LinkIndex link : route(travellers_[m], choice)) {
        const PortId id = port(travellers_[m], link);
        if (--owned_by_[id] == 0) owner_[id] = no_id;
      }
    }
  }

  [[nodiscard]] std::vector<Plan> plans() const {
    std::vector<Plan> plans;
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
      const BesideTask& task = jobs_[job];
      const auto ranks = static_cast<Rank>(task.endpoints.rank_count());
      std::vector<std::uint8_t> bits(std::size_t{ranks} * ranks);
      for (std::size_t pair = 0; pair < bits.size(); ++pair) {
        bits[pair] = task.paths.path_bits(task.endpoints.endpoint_of(static_cast<Rank>(pair % ranks)), 0);
      }
      for (std::uint32_t m = 0; m < travellers_.size(); ++m) {
        if (travellers_[m].job == job) {
          bits[travellers_[m].pair] = task.paths.path_bits(travellers_[m].endpoint, given_choice_[m]);
        }
      }
      plans.push_back(Plan::per_pair(ranks, std::move(bits)));
    }
    return plans;
  }

  struct Change {
    enum Kind : std::uint8_t { given, struck };
    Kind kind;
    std::uint32_t message;
    std::uint32_t choice;
  };

  std::span<const BesideTask> jobs_;
  std::vector<double> taken_;  // by port: p(l) of the others
  std::vector<Traveller> travellers_;
  std::uint32_t steps_ = 0;  // of all jobs
  std::size_t path_links_ = 0;
  bool fits_ = true;
  std::vector<std::vector<Path>> users_;     // by port
  std::vector<ColourSet> open_;              // by message: choices that are left
  std::vector<std::uint32_t> given_choice_;  // by message, or no_id
  std::vector<std::uint32_t> owner_;         // by port: job, or no_id
  std::vector<std::uint32_t> owned_by_;      // by port: messages that have it
  std::vector<Change> trail_;
  std::uint64_t given_ = 0;  // paths, in all runs
};

}  // namespace

JointIsolation isolate_jointly(std::span<const BesideTask> jobs, std::span<const Footprint> others,
                               std::span<const Plan> hints, std::uint64_t budget) {
  IsolationSearch search(jobs, others, hints);
  return search.applies() ? search.run(budget) : JointIsolation{};
}

}  // namespace ayatori
