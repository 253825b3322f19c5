// Steps that stand as often as their bytes say.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ayatori/schedule/pattern.hpp"

namespace ayatori {

namespace {

/// Shares that differ by less than one in so many get the same number of steps.
constexpr std::size_t least_steps = 100;

class ChosenSteps final : public StepSequence {
 public:
  ChosenSteps(std::shared_ptr<const StepSequence> all, std::vector<std::size_t> chosen)
      : all_(std::move(all)), chosen_(std::move(chosen)) {}

  [[nodiscard]] Rank rank_count() const override { return all_->rank_count(); }
  [[nodiscard]] std::size_t step_count() const override { return chosen_.size(); }
  void step(std::size_t index, std::vector<Message>& messages) const override { all_->step(chosen_[index], messages); }

 private:
  std::shared_ptr<const StepSequence> all_;
  std::vector<std::size_t> chosen_;
};

/// Real numbers, since a pattern file may have any sizes.
std::vector<double> bytes_of_steps(const StepSequence& steps) {
  std::vector<double> found;
  std::vector<double> sent(steps.rank_count());
  std::vector<double> received(steps.rank_count());
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    std::ranges::fill(sent, 0.0);
    std::ranges::fill(received, 0.0);
    double most = 0;
    for (const Message& message : messages) {
      if (message.from == message.to) continue;
      const auto bytes = static_cast<double>(message.bytes);
      most = std::max({most, sent[message.from] += bytes, received[message.to] += bytes});
    }
    found.push_back(most);
  }
  return found;
}

}  // namespace

std::unique_ptr<StepSequence> weighted_by_bytes(std::shared_ptr<const StepSequence> steps) {
  const std::vector<double> bytes = bytes_of_steps(*steps);
  std::vector<std::size_t> chosen;
  if (std::ranges::adjacent_find(bytes, std::not_equal_to<>()) == bytes.end()) {
    for (std::size_t s = 0; s < bytes.size(); ++s) chosen.push_back(s);
    return std::make_unique<ChosenSteps>(std::move(steps), std::move(chosen));
  }
  double total = 0;
  for (const double own : bytes) total += own;
  const std::size_t count = std::max(least_steps, bytes.size());
  double before = 0;
  for (std::size_t s = 0; s < bytes.size(); ++s) {
    before += bytes[s];
    while (chosen.size() < count &&
           (static_cast<double>(chosen.size()) + 0.5) * total < before * static_cast<double>(count)) {
      chosen.push_back(s);
    }
  }
  return std::make_unique<ChosenSteps>(std::move(steps), std::move(chosen));
}

}  // namespace ayatori
