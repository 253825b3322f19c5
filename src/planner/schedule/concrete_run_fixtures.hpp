#pragma once
/// \file
/// For tests: runs a schedule with numbers in its slots; the next participant is drawn at random. Slow, simple, and
/// independent of the verifier: the verifier may reject a schedule that this runs correctly in a lucky order, but must
/// never accept one that fails here.

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/schedule/postcondition.hpp"

namespace ayatori {

/// Values by participant and slot; nothing if it got stuck, or if two ends of a message don't fit.
using Numbers = std::vector<std::vector<std::uint64_t>>;

/// The number that rank r has in slot j at the start. Random enough that no two sums are equal by accident.
inline std::uint64_t number_of(Rank rank, Slot slot) { return Random((std::uint64_t{rank} << 32) + slot)(); }

class ConcreteRun {
 public:
  ConcreteRun(const Schedule& schedule, std::uint64_t seed) : schedule_(schedule), random_(seed) {}

  std::optional<Numbers> run() {
    fill();
    const std::size_t all = schedule_.participant_count() * schedule_.stream_count();
    states_.resize(all);
    for (std::size_t idle_calls = 0; !finished();) {
      const std::size_t who = random_.below(all);
      const bool moved = advance(static_cast<Rank>(who / schedule_.stream_count()),
                                 static_cast<std::uint32_t>(who % schedule_.stream_count()), states_[who]);
      if (!fits_) return std::nullopt;
      idle_calls = moved ? 0 : idle_calls + 1;
      if (idle_calls > 50 * all + 1000) return std::nullopt;
    }
    return numbers_;
  }

 private:
  struct State {
    std::size_t step = 0;
    bool posted = false;
    StepActions actions;
    std::vector<bool> received;
  };
  struct InFlight {
    std::vector<std::uint64_t> numbers;
    std::vector<Bytes> sizes;
  };

  void fill() {
    numbers_.assign(schedule_.participant_count(), std::vector<std::uint64_t>(schedule_.slot_count()));
    for (Rank r = 0; r < schedule_.call().ranks; ++r) {
      const SlotRange own = slots_at_start(schedule_, r);
      // Slots that nothing was written to hold random numbers, others in each run.
      for (std::uint64_t& number : numbers_[r]) number = random_();
      for (Slot slot = own.first; slot < own.first + own.count; ++slot) numbers_[r][slot] = number_of(r, slot);
    }
  }

  [[nodiscard]] bool finished() const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].step < schedule_.step_count(static_cast<std::uint32_t>(i % schedule_.stream_count())))
        return false;
    }
    return true;
  }

  bool advance(Rank self, std::uint32_t stream, State& state) {
    if (state.step >= schedule_.step_count(stream)) return false;
    if (!state.posted) {
      schedule_.actions(self, stream, state.step, state.actions);
      state.received.assign(state.actions.receives.size(), false);
      for (const Transfer& send : state.actions.sends)
        mail_[{self, send.peer, stream}].push_back(packed(self, state, send));
      state.posted = true;
      return true;
    }
    bool moved = false;
    bool all = true;
    for (std::size_t i = 0; i < state.received.size(); ++i) {
      const Transfer& receive = state.actions.receives[i];
      auto& box = mail_[{receive.peer, self, stream}];
      const bool earlier_open =
          std::any_of(state.received.begin(), state.received.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](bool done) { return !done; });
      if (!state.received[i] && !box.empty() && !(earlier_open && waits_for(state, i))) {
        unpack(self, state, receive, box.front());
        box.erase(box.begin());
        state.received[i] = moved = true;
      }
      all = all && state.received[i];
    }
    if (!all || !drained(self, stream, state)) return moved;
    for (const LocalOperation& local : state.actions.locals) work(self, local);
    ++state.step;
    state.posted = false;
    return true;
  }

  /// An earlier receive from the same peer is still open.
  static bool waits_for(const State& state, std::size_t i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!state.received[k] && state.actions.receives[k].peer == state.actions.receives[i].peer) return true;
    }
    return false;
  }

  bool drained(Rank self, std::uint32_t stream, const State& state) {
    return std::all_of(state.actions.sends.begin(), state.actions.sends.end(),
                       [&](const Transfer& send) { return mail_[{self, send.peer, stream}].empty(); });
  }

  static std::vector<Slot> slots(const State& state, const Transfer& transfer) {
    std::vector<Slot> found;
    for (std::uint32_t i = 0; i < transfer.range_count; ++i) {
      const SlotRange range = state.actions.ranges[transfer.first_range + i];
      for (std::uint32_t k = 0; k < range.count; ++k) found.push_back(range.first + k);
    }
    return found;
  }

  InFlight packed(Rank self, const State& state, const Transfer& transfer) {
    InFlight message;
    for (const Slot slot : slots(state, transfer)) {
      fits_ = fits_ && slot < schedule_.slot_count();
      if (!fits_) break;
      message.numbers.push_back(numbers_[self][slot]);
      message.sizes.push_back(schedule_.slot_bytes(self, slot));
    }
    return message;
  }

  void unpack(Rank self, const State& state, const Transfer& transfer, const InFlight& message) {
    const auto to = slots(state, transfer);
    fits_ = fits_ && to.size() == message.numbers.size();
    for (std::size_t i = 0; fits_ && i < to.size(); ++i) {
      fits_ = to[i] < schedule_.slot_count() && schedule_.slot_bytes(self, to[i]) == message.sizes[i];
      if (fits_) numbers_[self][to[i]] = message.numbers[i];
    }
  }

  void work(Rank self, const LocalOperation& local) {
    for (std::uint32_t k = 0; k < local.from.count; ++k) {
      fits_ = fits_ && local.from.first + k < schedule_.slot_count() && local.to + k < schedule_.slot_count();
      if (!fits_) return;
      const std::uint64_t from = numbers_[self][local.from.first + k];
      std::uint64_t& to = numbers_[self][local.to + k];
      to = local.kind == LocalOperation::Kind::copy ? from : to + from;
    }
  }

  const Schedule& schedule_;
  Random random_;
  Numbers numbers_;
  std::vector<State> states_;
  std::map<std::tuple<Rank, Rank, std::uint32_t>, std::vector<InFlight>> mail_;
  bool fits_ = true;
};

inline std::uint64_t number_of(const SlotContent& content, Rank ranks) {
  const Contribution& part = content.contribution;
  if (content.kind == SlotContent::Kind::contribution) return number_of(part.rank, part.slot);
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < ranks; ++rank) sum += number_of(rank, part.slot);
  return sum;
}

/// The postcondition's numbers, compared with those that a run in an order drawn from `seed` leaves.
inline bool runs_right(const Schedule& schedule, std::uint64_t seed) {
  const auto numbers = ConcreteRun(schedule, seed).run();
  if (!numbers) return false;
  for (Rank r = 0; r < schedule.call().ranks; ++r) {
    const SlotRange result = slots_at_end(schedule, r);
    for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
      const SlotContent content = content_at_end(schedule, r, slot);
      if (content.kind == SlotContent::Kind::nothing) continue;
      if ((*numbers)[r][slot] != number_of(content, schedule.call().ranks)) return false;
    }
  }
  return true;
}

}  // namespace ayatori
