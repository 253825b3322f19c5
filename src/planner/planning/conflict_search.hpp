#pragma once
/// \file
/// Paths for all messages of several small jobs with few link conflicts between the steps of different jobs. The search
/// knows which step of a job conflicts with which step of another.
///
/// Each job is in a step that is drawn at random. With own(s) the time of step s alone, a_k(s) the share of job k's
/// steps that use one of its links, and b(s) the share of pairs of steps of two other jobs that use one of its links
/// at the same time,
///
///     time(s) = own(s) + 1 − Π_k (1 − a_k(s)) + b(s)        value = mean over the jobs of Σ ideal(s) / Σ time(s)
///
/// which is exactly what measure_together() (contention/jobs_together.hpp) tends to with many rounds, for up to three
/// jobs without several messages on a link in a step. With more jobs b(s) is left out.
///
/// The paths of running jobs are fixed. With at most three jobs in all, running jobs whose footprints list their steps
/// take part like the others, so that the search sees what it does to them, too. Of other running jobs it counts only
/// how often they use each link, as contention/concurrent_bandwidth.hpp does.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "ayatori/contention/footprint.hpp"
#include "joint_messages.hpp"

namespace ayatori {

/// Temperatures and prices are in units of the cost of one conflict of two steps.
struct Annealing {
  std::uint64_t moves = 0;
  double first_temperature = 0;
  double last_temperature = 0;
  double shared_price = 0;  ///< of each link that two steps share, whether they share others or not
};

/// Simulated annealing over the paths of several jobs at once.
class ConflictSearch {
 public:
  /// Begins with the choices that `messages` has. Both arguments must outlive the search.
  ConflictSearch(std::span<const PlanningTask> jobs, const JointMessages& messages, std::span<const Footprint> others);

  /// Is no job larger than this search takes, and does each link carry one message in the time of a step?
  [[nodiscard]] static bool applies(std::span<const PlanningTask> jobs, const JointMessages& messages);

  /// Simulated annealing from where the search is: a message takes another path, messages that it drives away take
  /// others, and so on. Ends when no step conflicts with another, or the jobs' SearchControl is stopped. The best
  /// choices of all runs are kept.
  void anneal(const Annealing& run, Random& random);
  /// One of several alternating runs: even runs start hot and forget where they began, odd ones start from the best
  /// choices and stay near them. `run`: its number, from 0.
  void anneal_alternately(int run, std::uint64_t moves, Random& random);

  /// Goes back to the best choices.
  void return_to_best();
  /// Goes to these choices, by message, and keeps them if they are the best.
  void go_to(std::span<const std::uint32_t> choices);
  /// Where the search is.
  [[nodiscard]] const std::vector<std::uint32_t>& now() const { return choice_; }

  [[nodiscard]] double value() const { return best_value_; }
  /// Of the jobs in the value, how many run already.
  [[nodiscard]] std::size_t standing() const { return standing_.size(); }
  /// Links that carry several messages of a step, each counted once a step: then value() is an estimate.
  [[nodiscard]] std::uint64_t hot_links() const { return best_hot_links_; }
  [[nodiscard]] bool is_isolated() const { return best_hot_links_ == 0 && best_value_ > max_value_ - 1e-9; }
  [[nodiscard]] const std::vector<std::uint32_t>& choices() const { return best_; }

 private:
  using StepSet = std::uint64_t;  ///< of one job
  struct Step {
    std::uint32_t job = 0;
    std::uint32_t number = 0;   ///< in the job
    double ideal = 0;           ///< 0: no message uses the network
    std::uint32_t triples = 0;  ///< pairs of steps of two other jobs that use one of its links at the same time
    double time = 0;
  };

  void add_others(const Network& network, std::span<const Footprint> others);
  [[nodiscard]] bool can_conflict(const Footprint& other, const std::vector<LinkIndex>& link_of_port) const;
  void add_steps(std::span<const PlanningTask> jobs);
  void add_standing_steps();
  void place_standing(const Network& network);
  void add_messages();
  void place(std::uint32_t message, std::uint32_t choice, int sign);
  void count_users(std::uint32_t step, LinkIndex link, int sign);
  void count_shared(std::uint32_t step, std::uint32_t other, int sign);
  void count_triples(std::uint32_t step, LinkIndex link, int sign);
  void count_triple(std::array<std::uint32_t, 3> numbers, int sign);
  void note_change(std::uint32_t step);
  void move(std::uint32_t message, std::uint32_t choice);
  bool move_in_chain(std::uint32_t message, std::uint32_t choice, Random& random);
  [[nodiscard]] std::uint32_t driven_away_by(std::uint32_t message) const;
  [[nodiscard]] std::uint32_t least_loaded_choice(std::uint32_t message, Random& random) const;
  void undo();
  void refresh_times();
  [[nodiscard]] double time_of(std::uint32_t step) const;
  [[nodiscard]] LinkOccupancy free_of_others(std::uint32_t step) const;
  [[nodiscard]] double cost() const;
  [[nodiscard]] double value_now() const;
  void keep_if_best();
  [[nodiscard]] std::uint16_t& load(std::uint32_t step, LinkIndex link) {
    return load_[std::size_t{step} * messages_.link_count() + link];
  }
  [[nodiscard]] StepSet& users(LinkIndex link, std::uint32_t job) {
    return users_[std::size_t{link} * job_count_ + job];
  }
  [[nodiscard]] std::uint32_t step_count(std::uint32_t job) const { return first_step_[job + 1] - first_step_[job]; }

  const JointMessages& messages_;
  const SearchControl control_;
  std::vector<const Footprint*> standing_;  // of jobs that run, whose steps are known
  std::uint32_t job_count_ = 0;             // with those
  std::vector<std::uint32_t> first_step_;   // by job, and the end
  std::vector<LinkOccupancy> occupancy_;    // by link: of others; empty if there are none
  std::vector<Step> steps_;
  std::vector<std::uint32_t> first_message_;  // by step, and the end
  std::vector<std::uint32_t> choice_;         // by message
  std::vector<std::uint32_t> movable_;        // messages with several choices
  std::vector<std::uint16_t> load_;           // by step and link: messages
  std::vector<StepSet> users_;                // by link and job: steps with messages on it
  std::vector<std::uint16_t> shared_;         // by two steps, both ways: links that both use
  std::vector<StepSet> conflicting_;          // by step and job: steps of the job that it shares a link with
  std::vector<std::uint16_t> triple_;         // by three steps, one of each of three jobs: links that all use
  std::vector<double> job_time_;              // by job: Σ time
  std::vector<double> job_ideal_;             // by job: Σ ideal
  double conflict_cost_ = 0;                  // about what one conflict of two steps adds to the cost
  std::uint64_t shared_links_ = 0;            // Σ of shared_ over the pairs of steps
  std::uint64_t hot_links_ = 0;               // links with several messages of a step
  std::vector<std::uint32_t> changed_;        // steps whose time is to be computed anew
  std::vector<bool> is_changed_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trail_;  // message, and its choice before
  double shared_price_ = 0;
  double max_value_ = 1;  // if no new job conflicted with another
  std::uint64_t best_hot_links_ = 0;
  double best_value_ = 0;
  std::vector<std::uint32_t> best_;
};

}  // namespace ayatori
