#include "ayatori/schedule/pattern_schedule.hpp"

#include <vector>

namespace ayatori {

namespace {

class PatternSchedule final : public Schedule {
 public:
  PatternSchedule(const StepSequence& steps, Bytes bytes) : bytes_(bytes) {
    call_.collective = Collective::alltoallv;
    call_.ranks = steps.rank_count();
    std::vector<Message> messages;
    for (std::size_t s = 0; s < steps.step_count(); ++s) {
      steps.step(s, messages);
      std::vector<Peers>& ranks = steps_.emplace_back(call_.ranks);
      for (const Message& message : messages) {
        if (message.from == message.to) continue;
        ranks[message.from].to.push_back(message.to);
        ranks[message.to].from.push_back(message.from);
      }
    }
  }

  [[nodiscard]] const CollectiveCall& call() const override { return call_; }
  [[nodiscard]] std::size_t step_count(std::uint32_t) const override { return steps_.size(); }
  [[nodiscard]] Slot slot_count() const override { return 2; }
  [[nodiscard]] Bytes slot_bytes(Rank, Slot) const override { return bytes_; }

  void actions(Rank participant, std::uint32_t, std::size_t step, StepActions& actions) const override {
    actions.clear();
    const Peers& peers = steps_[step][participant];
    for (const Rank to : peers.to) actions.send(to, {0, 1});
    for (const Rank from : peers.from) actions.receive(from, {1, 1});
  }

 private:
  struct Peers {
    std::vector<Rank> to;
    std::vector<Rank> from;
  };

  CollectiveCall call_;
  Bytes bytes_;
  std::vector<std::vector<Peers>> steps_;  // by step and rank
};

}  // namespace

SchedulePtr schedule_of_pattern(const StepSequence& steps, Bytes bytes) {
  return std::make_shared<PatternSchedule>(steps, bytes);
}

}  // namespace ayatori
