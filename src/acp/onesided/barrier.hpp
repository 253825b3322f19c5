#pragma once
/// \file
/// A dissemination barrier (Hensgen, Finkel, Manber 1988) of radix 4: in hop k each rank notifies rank + j 4^k and
/// waits for rank - j 4^k, modulo the number of ranks, for j = 1, 2, 3. After ceil(log4(ranks)) hops, all ranks have
/// arrived.
///
/// A notice may be lost or come twice. It says how many barriers its sender has entered, so that the latest one is all
/// that counts, and nobody acknowledges it: a rank that misses one asks for it after a while, and is answered as soon
/// as the other rank has come so far (docs/decisions/0105-barriers-by-notices.md).

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "ayatori/base/ids.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::onesided {

class Barrier {
 public:
  /// How long a notice is waited for before it is asked for: twice the usual wait, within these bounds. A question that
  /// comes too early costs two small packets, and wakes two processes.
  static constexpr transport::Duration min_first_pause = std::chrono::microseconds(200);
  static constexpr transport::Duration max_first_pause = std::chrono::milliseconds(2);

  /// The longest time between two questions; each time is twice the one before.
  static constexpr transport::Duration max_pause = std::chrono::milliseconds(50);

  Barrier(Rank self, Rank procs) : self_(self), procs_(procs) {}

  /// Starts the next barrier. The last one is done.
  void start() {
    ++started_;
    begin_hop(0);
  }

  /// A peer has sent the notice of this place for the barriers up to `number`. It may be one barrier ahead, and no
  /// more.
  void arrived(std::uint64_t place, std::uint64_t number) {
    if (place < places && number <= started_ + 1) arrivals_[place] = std::max(arrivals_[place], number);
  }

  /// Whether a peer that asks for the notice of this place and barrier may have it.
  [[nodiscard]] bool has_sent(std::uint64_t place, std::uint64_t number) const {
    return place < places && (number < started_ || (number == started_ && place < next_notice_));
  }

  /// Goes on as far as possible. `notify(rank, place, number)` returns false if it must be tried again later;
  /// `ask(rank, place, number)` may do nothing.
  template <typename Notify, typename Ask>
  void progress(transport::Time now, Notify notify, Ask ask) {
    while (!done()) {
      if (!notify_all(notify)) return;
      if (!hop_complete()) return ask_when_due(now, ask);
      note_wait(now);
      begin_hop(hop_ + 1);
    }
  }

  [[nodiscard]] bool done() const { return started_ == 0 || distance(place_of(hop_)) >= procs_; }

  /// Calls `visit(rank)` for those that are waited for.
  template <typename Visit>
  void visit_awaited(Visit visit) const {
    for_missing([&](std::uint64_t place) { visit(before(place)); });
  }

  /// When progress() has to be called.
  [[nodiscard]] transport::Time next_deadline() const { return done() ? transport::never : ask_at_; }

 private:
  static constexpr std::uint64_t max_hops = 16;  // for 2^32 ranks
  static constexpr std::uint64_t each_hop = 3;
  static constexpr std::uint64_t places = max_hops * each_hop;  // a hop's, one after the other

  static std::uint64_t place_of(std::uint64_t hop) { return hop * each_hop; }
  static std::uint64_t distance(std::uint64_t place) {
    return (place % each_hop + 1) << (2 * std::min(place / each_hop, max_hops));
  }
  [[nodiscard]] Rank after(std::uint64_t place) const { return static_cast<Rank>((self_ + distance(place)) % procs_); }
  [[nodiscard]] Rank before(std::uint64_t place) const {
    return static_cast<Rank>((std::uint64_t{self_} + procs_ - distance(place)) % procs_);
  }
  /// The place after the last of this hop.
  [[nodiscard]] std::uint64_t hop_end() const {
    std::uint64_t end = place_of(hop_);
    while (end < place_of(hop_ + 1) && distance(end) < procs_) ++end;
    return end;
  }

  void begin_hop(std::uint64_t hop) {
    hop_ = hop;
    next_notice_ = place_of(hop);
    ask_at_ = transport::never;
    asked_ = false;
    pause_ = std::clamp(2 * usual_wait_, min_first_pause, max_first_pause);
  }

  /// Of a hop in which a question was sent it is not known how long the notice would have taken without it: the wait is
  /// taken for an eighth longer than usual.
  void note_wait(transport::Time now) {
    if (asked_) {
      usual_wait_ = std::min(usual_wait_ + usual_wait_ / 8, max_first_pause);
    } else {
      const auto wait = ask_at_ == transport::never ? transport::Duration::zero() : now - (ask_at_ - pause_);
      usual_wait_ += (wait - usual_wait_) / 8;
      usual_wait_ = std::max(usual_wait_, min_first_pause / 2);
    }
  }

  template <typename Notify>
  bool notify_all(Notify notify) {
    for (; next_notice_ < hop_end(); ++next_notice_) {
      if (!notify(after(next_notice_), next_notice_, started_)) return false;
    }
    return true;
  }

  template <typename Do>
  void for_missing(Do act) const {
    if (done()) return;
    for (std::uint64_t place = place_of(hop_); place < hop_end(); ++place) {
      if (arrivals_[place] < started_) act(place);
    }
  }
  [[nodiscard]] bool hop_complete() const {
    bool complete = true;
    for_missing([&](std::uint64_t) { complete = false; });
    return complete;
  }

  template <typename Ask>
  void ask_when_due(transport::Time now, Ask ask) {
    if (ask_at_ == transport::never) ask_at_ = now + pause_;
    if (now < ask_at_) return;
    for_missing([&](std::uint64_t place) { ask(before(place), place, started_); });
    asked_ = true;
    pause_ = std::min(2 * pause_, max_pause);
    ask_at_ = now + pause_;
  }

  Rank self_;
  Rank procs_;
  std::uint64_t started_ = 0;
  std::uint64_t hop_ = 0;
  std::uint64_t next_notice_ = 0;  // the first place whose notice was not sent in this barrier
  std::array<std::uint64_t, places> arrivals_{};
  transport::Time ask_at_ = transport::never;
  transport::Duration pause_ = min_first_pause;
  transport::Duration usual_wait_ = min_first_pause / 2;  // for the notices of a hop, smoothed
  bool asked_ = false;                                    // for one of this hop
};

}  // namespace ayatori::onesided
