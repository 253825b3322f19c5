#include "ayatori/schedule/same_messages.hpp"

#include <algorithm>
#include <optional>

namespace ayatori {

namespace {

/// What a participant does on one stream, without the steps in which it is idle.
class BusySteps {
 public:
  BusySteps(const Schedule& schedule, Rank participant, std::uint32_t stream)
      : schedule_(schedule), participant_(participant), stream_(stream) {}

  /// Goes to the next one. False: there is none.
  bool next() {
    for (; step_ < schedule_.step_count(stream_); ++step_) {
      schedule_.actions(participant_, stream_, step_, actions_);
      if (actions_.idle()) continue;
      ++step_;
      return true;
    }
    return false;
  }

  [[nodiscard]] bool is_like(const BusySteps& other) const {
    const auto same_transfers = [&](const std::vector<Transfer>& mine, const std::vector<Transfer>& others) {
      return std::ranges::equal(mine, others, [&](const Transfer& one, const Transfer& its) {
        return one.peer == its.peer && one.range_count == its.range_count &&
               bytes_of(schedule_, participant_, actions_, one) ==
                   bytes_of(other.schedule_, other.participant_, other.actions_, its);
      });
    };
    const auto same_local = [&](const LocalOperation& one, const LocalOperation& its) {
      const bool both_copy = one.kind == LocalOperation::Kind::copy;
      return both_copy == (its.kind == LocalOperation::Kind::copy) &&
             bytes_in(schedule_, participant_, one.from) == bytes_in(other.schedule_, other.participant_, its.from);
    };
    return same_transfers(actions_.sends, other.actions_.sends) &&
           same_transfers(actions_.receives, other.actions_.receives) &&
           std::ranges::equal(actions_.locals, other.actions_.locals, same_local);
  }

 private:
  const Schedule& schedule_;
  Rank participant_;
  std::uint32_t stream_;
  std::size_t step_ = 0;
  StepActions actions_;
};

bool are_the_same_on(std::uint32_t stream, Rank participant, const Schedule& a, const Schedule& b) {
  BusySteps of_a(a, participant, stream);
  BusySteps of_b(b, participant, stream);
  for (;;) {
    const bool a_goes_on = of_a.next();
    if (a_goes_on != of_b.next()) return false;
    if (!a_goes_on) return true;
    if (!of_a.is_like(of_b)) return false;
  }
}

}  // namespace

bool send_the_same_messages(const Schedule& a, const Schedule& b) {
  if (a.participant_count() != b.participant_count() || a.stream_count() != b.stream_count()) return false;
  for (std::uint32_t stream = 0; stream < a.stream_count(); ++stream) {
    for (Rank participant = 0; participant < a.participant_count(); ++participant) {
      if (!are_the_same_on(stream, participant, a, b)) return false;
    }
  }
  return true;
}

}  // namespace ayatori
