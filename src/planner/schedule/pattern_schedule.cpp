#include "ayatori/schedule/pattern_schedule.hpp"

#include <algorithm>
#include <vector>

#include "given_sizes.hpp"

namespace ayatori {

namespace {

class PatternSchedule final : public Schedule {
 public:
  PatternSchedule(const StepSequence& steps, Bytes bytes) {
    call_.collective = Collective::alltoallv;
    call_.ranks = steps.rank_count();
    find_sizes(steps, bytes);
    std::vector<Message> messages;
    std::vector<Bytes> sizes;
    for (std::size_t s = 0; s < steps.step_count(); ++s) {
      steps.step(s, messages);
      sizes_of_step(steps, s, bytes, messages.size(), sizes);
      std::vector<Peers>& ranks = steps_.emplace_back(call_.ranks);
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message& message = messages[i];
        if (message.from == message.to) continue;
        const Slot slot = slot_of(sizes[i]);
        ranks[message.from].to.push_back({message.to, slot});
        ranks[message.to].from.push_back({message.from, slot + 1});
      }
    }
  }

  [[nodiscard]] const CollectiveCall& call() const override { return call_; }
  [[nodiscard]] std::size_t step_count(std::uint32_t) const override { return steps_.size(); }
  [[nodiscard]] Slot slot_count() const override { return static_cast<Slot>(2 * sizes_.size()); }
  [[nodiscard]] Bytes slot_bytes(Rank, Slot slot) const override { return sizes_[slot / 2]; }

  void actions(Rank participant, std::uint32_t, std::size_t step, StepActions& actions) const override {
    actions.clear();
    const Peers& peers = steps_[step][participant];
    for (const Peer& to : peers.to) actions.send(to.rank, {to.slot, 1});
    for (const Peer& from : peers.from) actions.receive(from.rank, {from.slot, 1});
  }

 private:
  struct Peer {
    Rank rank;
    Slot slot;  ///< of the message: the first of its size to send, the next one to receive
  };
  struct Peers {
    std::vector<Peer> to;
    std::vector<Peer> from;
  };

  /// The size of each message of a step; `bytes` where none is given.
  static void sizes_of_step(const StepSequence& steps, std::size_t step, Bytes bytes, std::size_t messages,
                            std::vector<Bytes>& sizes) {
    sizes.assign(messages, 0);
    // Patterns that are formulas say nothing of sizes: only what is read from a file does.
    if (const auto* given = dynamic_cast<const GivenSizes*>(&steps)) given->given_sizes(step, sizes);
    std::replace(sizes.begin(), sizes.end(), Bytes{0}, bytes);
  }

  void find_sizes(const StepSequence& steps, Bytes bytes) {
    sizes_ = {bytes};
    if (dynamic_cast<const GivenSizes*>(&steps) == nullptr) return;
    std::vector<Bytes> sizes;
    std::vector<Message> messages;
    for (std::size_t s = 0; s < steps.step_count(); ++s) {
      steps.step(s, messages);
      sizes_of_step(steps, s, bytes, messages.size(), sizes);
      sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
    }
    std::sort(sizes_.begin(), sizes_.end());
    sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  }

  [[nodiscard]] Slot slot_of(Bytes bytes) const {
    const auto place = std::lower_bound(sizes_.begin(), sizes_.end(), bytes) - sizes_.begin();
    return static_cast<Slot>(2 * place);
  }

  CollectiveCall call_;
  std::vector<Bytes> sizes_;               // that messages have, each once, in order: two slots for each
  std::vector<std::vector<Peers>> steps_;  // by step and rank
};

}  // namespace

SchedulePtr schedule_of_pattern(const StepSequence& steps, Bytes bytes) {
  return std::make_shared<PatternSchedule>(steps, bytes);
}

}  // namespace ayatori
