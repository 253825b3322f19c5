#include "least_delays.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "conflict_search.hpp"
#include "joint_messages.hpp"
#include "other_steps.hpp"
#include "step_delay_search.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t effort_of_round = 100'000'000;  ///< of a round over all steps, in the unit of StepDelaySearch
constexpr int max_delay_rounds = 8;                     ///< more than three are rare
constexpr double least_gain_of_round = 1e-9;            ///< what rounding can't make in all steps

/// Steps in which messages use the network, also those within a leaf.
std::size_t busy_steps(const PlanningTask& task) {
  std::vector<Message> messages;
  std::size_t busy = 0;
  for (std::size_t s = 0; s < task.steps.step_count(); ++s) {
    task.steps.step(s, messages);
    busy += std::ranges::any_of(messages, [&](const Message& m) { return task.endpoints.uses_network(m); }) ? 1 : 0;
  }
  return busy;
}

/// Rounds over all steps. Each is improved with the current paths of the job's other steps.
class RoundsOfSteps {
 public:
  RoundsOfSteps(const PlanningTask& task, const JointMessages& messages, const OtherSteps& others)
      : messages_(messages),
        others_(others),
        control_(task.control),
        busy_(busy_steps(task)),
        search_(messages, others, busy_) {
    for (const JointMessage& message : messages.all()) {
      const auto number = static_cast<std::uint32_t>(choices_.size());
      if (number == 0 || message.step != messages.all()[number - 1].step) first_of_step_.push_back(number);
      choices_.push_back(message.choice);
    }
    first_of_step_.push_back(static_cast<std::uint32_t>(choices_.size()));
    for (std::size_t s = 0; s < sending_steps(); ++s) {
      delays_.push_back(search_.delays(first_of_step_[s], choices_of(s)));
      add(delays_.back(), 1);
    }
  }

  void run() {
    bool gained = true;
    for (int round = 0; round < max_delay_rounds && gained && !is_hot_; ++round) {
      const double before = bandwidth();
      bool was_hot = false;
      for (std::size_t s = 0; s < sending_steps(); ++s) {
        if (control_.stopped()) {
          is_hot_ = is_hot_ || round == 0;  // a step that was not looked at may be
          return;
        }
        was_hot = improve(s) || was_hot;
      }
      gained = was_hot || bandwidth() > before + least_gain_of_round;
      is_better_ = is_better_ || gained;
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& choices() const { return choices_; }
  [[nodiscard]] double bandwidth() const { return others_.mean_bandwidth(all_, busy_, messages_.step_count()); }
  [[nodiscard]] bool is_better() const { return is_better_; }
  [[nodiscard]] bool is_hot() const { return is_hot_; }

 private:
  [[nodiscard]] std::size_t sending_steps() const { return first_of_step_.size() - 1; }
  [[nodiscard]] std::span<std::uint32_t> choices_of(std::size_t step) {
    return std::span(choices_).subspan(first_of_step_[step], first_of_step_[step + 1] - first_of_step_[step]);
  }
  void add(const Delays& of_step, double sign) {
    for (std::size_t job = 0; job < all_.size(); ++job) all_[job] += sign * of_step[job];
  }

  /// Did a link carry two messages of the step before?
  bool improve(std::size_t step) {
    add(delays_[step], -1);
    const auto outcome =
        search_.improve(first_of_step_[step], choices_of(step), all_, effort_of_round / sending_steps());
    delays_[step] = search_.delays(first_of_step_[step], choices_of(step));
    add(delays_[step], 1);
    is_hot_ = is_hot_ || outcome.is_hot;
    return outcome.was_hot;
  }

  const JointMessages& messages_;
  const OtherSteps& others_;
  const SearchControl control_;
  std::size_t busy_;
  StepDelaySearch search_;
  std::vector<std::uint32_t> choices_;        // by message
  std::vector<std::uint32_t> first_of_step_;  // of steps with messages between leaves, and the end
  std::vector<Delays> delays_;                // by step
  Delays all_{};
  bool is_better_ = false;
  bool is_hot_ = false;
};

}  // namespace

std::optional<LeastDelays> least_delays(const PlanningTask& task, std::span<const Footprint> others, const Plan& plan) {
  const auto tasks = std::span(&task, 1);
  const auto messages = JointMessages::of(tasks, std::span(&plan, 1));
  if (!messages || !ConflictSearch::applies(tasks, *messages)) return std::nullopt;
  const auto known = OtherSteps::of(task.network, *messages, others);
  if (!known) return std::nullopt;
  RoundsOfSteps rounds(task, *messages, *known);
  rounds.run();
  if (rounds.is_hot()) return std::nullopt;
  return LeastDelays{std::move(messages->plans(rounds.choices())[0]), rounds.bandwidth(), rounds.is_better()};
}

}  // namespace ayatori
