#pragma once
/// \file
/// A model of one flow of a Sender, that knows the rules of flow_state.hpp, loss_recovery.hpp and
/// congestion_control.hpp, but no windows of bits, queues or heaps: sets of packets, searched each time.

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "ayatori/transport/flow_state.hpp"
#include "ayatori/transport/observer.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/transport/packet.hpp"

namespace ayatori::transport {

/// Of the packets that a Sender makes.
inline std::string_view word_for(PacketKind kind) {
  return kind == PacketKind::data ? "data" : kind == PacketKind::ask ? "ask" : "another kind";
}

/// A packet that the sender wants to send, or that nothing is to be sent.
inline std::string text_of(PacketKind kind, Sequence sequence, bool resent, bool more) {
  return fmt::format("{} {}{}{}", word_for(kind), sequence, resent ? " again" : "", more ? " and more" : "");
}

/// Messages have one packet each, so message n of an epoch is packet n.
class Model {
 public:
  explicit Model(const Options& chosen) : options_(chosen) {}

  void send(Time now) {
    if (phase == Phase::closed) {
      activity = Activity::idle;
      heard();
      start_epoch(Phase::open);
      arm(now);
    }
    ++queued_;
    ++unsent_;
    activity = Activity::active;
    ready_ = true;
  }

  std::string next_packet(Time now) {
    if (!ready_) return "nothing";
    if (phase == Phase::held && held_until_ > now) return stop();
    if (phase == Phase::held) phase = Phase::open;
    std::string sent;
    if (!lost_.empty() && may_send(*lost_.begin())) {
      const Sequence sequence = *lost_.begin();
      lost_.erase(sequence);
      again_.insert(sequence);
      resent_at_ = now;
      resent_overtaken_ = false;
      sent = text_of(PacketKind::data, sequence, true, unsent_ > 0 || !lost_.empty());
    } else if (unsent_ > 0 && next_ - cumulative_ < 64 && may_send(next_) && phase != Phase::retiring) {
      --unsent_;
      sent = text_of(PacketKind::data, next_++, false, unsent_ > 0 || !lost_.empty());
    } else if (credit == CreditState::ask_due || needs_credit()) {
      credit = CreditState::asked;
      sent = text_of(PacketKind::ask, next_, false, unsent_ > 0);
    } else {
      return stop();
    }
    ready_ = wants_to_send();
    if (unanswered_since_ == never) unanswered_since_ = now;
    arm(now);
    return sent;
  }

  /// The tokens that it acknowledges are counted.
  std::uint32_t acknowledge(const Acknowledgement& said, Sequence asked, Time now) {
    heard();
    if (said.cumulative < cumulative_ || said.cumulative > next_) return 0;
    const auto flight = in_flight();
    const std::uint32_t done = said.cumulative - cumulative_;
    queued_ -= done;
    cumulative_ = said.cumulative;
    for (Sequence i = 0; i < 63; ++i) {
      if ((said.selective >> i & 1) != 0 && cumulative_ + 1 + i < next_) arrived_.insert(cumulative_ + 1 + i);
    }
    std::erase_if(arrived_, [&](Sequence sequence) { return sequence <= cumulative_; });
    std::erase_if(lost_, [&](Sequence sequence) { return sequence < cumulative_ || arrived_.contains(sequence); });
    std::erase_if(again_, [&](Sequence sequence) { return sequence < cumulative_; });
    grown_ += flight - std::min(flight, in_flight());
    if (grown_ >= window_) {
      grown_ = 0;
      window_ = std::min(window_ + 1, options_.window);
    }
    if (said.serial > serial_) take_newer(said, asked);
    declare_lost(overtaken_by(3));
    find_overtaken(said, now);
    activity = queued_ == 0 ? Activity::idle : Activity::active;
    if (phase == Phase::retiring && next_ == cumulative_) {
      close_or_reopen(now);
      return done;
    }
    if (wants_to_send()) ready_ = true;
    arm(now);
    return done;
  }

  void retire(Time now) {
    heard();
    if (phase == Phase::held) return;
    phase = Phase::retiring;
    if (next_ == cumulative_) close_or_reopen(now);
  }

  void renew(Time now) {
    heard();
    if (serial_ > 0) return close();
    start_epoch(Phase::open);
    ready_ = true;
    arm(now);
  }

  void time_out(Time now) {
    if (activity == Activity::idle) return close();
    if (phase == Phase::held) {
      phase = Phase::open;
    } else {
      if (unanswered_since_ != never && now - unanswered_since_ >= options_.give_up_after &&
          attempts_ >= options_.give_up_attempts) {
        return close();
      }
      if (unanswered_since_ != never) ++attempts_;
      const bool admission = options_.retransmission.admission;
      if (overtaken_until_ <= now) {
        attempts_ -= unanswered_since_ != never ? 1 : 0;
        lose_overtaken();
      } else if (next_ == cumulative_ || (admission && !(rationed_ && in_flight() <= 8 && attempts_ <= 64))) {
        credit = CreditState::ask_due;
      } else {
        const bool answers = !admission || !rationed_;
        if (declare_lost(missing_below(next_)) && attempts_ >= 3 && answers) window_ = std::max(1U, window_ / 2);
        if (credit != CreditState::ask_due) credit = CreditState::granted;
      }
    }
    ready_ = true;
    arm(now);
  }

  Phase phase = Phase::closed;
  CreditState credit = CreditState::granted;
  Activity activity = Activity::idle;
  Time deadline = never;
  [[nodiscard]] Sequence next() const { return next_; }
  [[nodiscard]] Sequence cumulative() const { return cumulative_; }

 private:
  [[nodiscard]] std::uint32_t in_flight() const {
    std::uint32_t count = 0;
    for (Sequence sequence = cumulative_; sequence < next_; ++sequence) {
      if (!arrived_.contains(sequence) && !lost_.contains(sequence)) ++count;
    }
    return count;
  }
  [[nodiscard]] bool may_send(Sequence sequence) const { return sequence < limit_ && in_flight() < window_; }
  [[nodiscard]] bool wants_to_send() const { return unsent_ > 0 || credit == CreditState::ask_due || !lost_.empty(); }
  [[nodiscard]] bool needs_credit() const {
    if (credit != CreditState::granted || in_flight() > 0) return false;
    if (phase == Phase::retiring && next_ == cumulative_) return false;
    return lost_.empty() ? unsent_ > 0 && next_ >= limit_ : *lost_.begin() >= limit_;
  }

  std::string stop() {
    ready_ = false;
    return "nothing";
  }
  void heard() {
    unanswered_since_ = never;
    attempts_ = 0;
  }
  void close() {
    phase = Phase::closed;
    queued_ = unsent_ = 0;
    ready_ = false;
    deadline = never;
  }
  void close_or_reopen(Time now) {
    if (activity == Activity::idle) return close();
    start_epoch(Phase::held);
    held_until_ = now + 4 * timeout();
    ready_ = true;
    arm(now);
  }
  void start_epoch(Phase into) {
    phase = into;
    credit = CreditState::granted;
    arrived_.clear();
    lost_.clear();
    again_.clear();
    overtaken_until_ = never;
    resent_overtaken_ = false;
    cumulative_ = next_ = 0;
    limit_ = window_ = options_.initial_window;
    grown_ = serial_ = halves_ = 0;
    ask_backoff_ = 0;
    rationed_ = false;
    unsent_ = queued_;
  }
  void take_newer(const Acknowledgement& said, Sequence asked) {
    const bool queued = said.queued && said.credit == 0;
    serial_ = said.serial;
    limit_ = said.cumulative + said.credit;
    rationed_ = said.rationed;
    if (credit != CreditState::ask_due) credit = queued ? CreditState::queued : CreditState::granted;
    if (said.credit > 0) ask_backoff_ = 0;
    if (!said.answer) return;
    if (queued) ask_backoff_ = std::min(ask_backoff_ + 1, 8);
    declare_lost(missing_below(std::min(asked, next_)));
  }
  [[nodiscard]] bool flies(Sequence sequence) const {
    return !arrived_.contains(sequence) && !lost_.contains(sequence);
  }
  [[nodiscard]] std::set<Sequence> missing_below(Sequence end) const {
    std::set<Sequence> missing;
    for (Sequence sequence = cumulative_; sequence < end; ++sequence) {
      if (flies(sequence)) missing.insert(sequence);
    }
    return missing;
  }
  /// First copies in flight, of which so many that were sent later have arrived.
  [[nodiscard]] std::set<Sequence> overtaken_by(std::ptrdiff_t later) const {
    std::set<Sequence> overtaken = missing_below(next_);
    std::erase_if(overtaken, [&](Sequence sequence) {
      const auto arrived = std::distance(arrived_.upper_bound(sequence), arrived_.end());
      return again_.contains(sequence) || arrived < later;
    });
    return overtaken;
  }
  [[nodiscard]] std::set<Sequence> further_copies() const {
    std::set<Sequence> copies = missing_below(next_);
    std::erase_if(copies, [&](Sequence sequence) { return !again_.contains(sequence); });
    return copies;
  }
  void find_overtaken(const Acknowledgement& said, Time now) {
    const auto ago = since_stamp(said.echo, now);
    if (further_copies().empty()) resent_overtaken_ = false;
    if (!further_copies().empty() && ago && !said.answer && now - *ago > resent_at_) resent_overtaken_ = true;
    const bool some = resent_overtaken_ || !overtaken_by(1).empty();
    if (!some) overtaken_until_ = never;
    if (some && overtaken_until_ == never) overtaken_until_ = now + options_.retransmission.fixed_timeout / 4;
  }
  void lose_overtaken() {
    std::set<Sequence> late = overtaken_by(1);
    if (resent_overtaken_) late.merge(further_copies());
    declare_lost(late);
    overtaken_until_ = never;
    resent_overtaken_ = false;
  }
  bool declare_lost(const std::set<Sequence>& late) {
    lost_.insert(late.begin(), late.end());
    if (options_.retransmission.admission && rationed_) return !late.empty();
    for (std::size_t i = 0; i < late.size(); ++i) {
      if (++halves_ % 2 == 0 && window_ > 1) --window_;
    }
    return !late.empty();
  }
  [[nodiscard]] Duration timeout() const {
    const Duration fixed = options_.retransmission.fixed_timeout;
    const bool waits = credit == CreditState::asked || credit == CreditState::queued;
    if (in_flight() > 0 || !waits || ask_backoff_ == 0) return fixed;
    return std::min(options_.retransmission.longest_timeout, fixed * (std::int64_t{256} << ask_backoff_));
  }
  void arm(Time now) {
    if (phase == Phase::held && held_until_ > now) {
      deadline = held_until_;
    } else {
      deadline = std::min(now + (activity == Activity::idle ? options_.close_after : timeout()), overtaken_until_);
    }
  }

  Options options_;
  std::set<Sequence> arrived_, lost_, again_;
  Sequence cumulative_ = 0, next_ = 0, limit_ = 0;
  Time resent_at_{}, overtaken_until_ = never;
  bool resent_overtaken_ = false;
  std::uint32_t halves_ = 0;  // lost packets
  std::uint32_t window_ = 0, grown_ = 0, serial_ = 0, queued_ = 0, unsent_ = 0, attempts_ = 0;
  int ask_backoff_ = 0;
  bool rationed_ = false, ready_ = false;
  Time unanswered_since_ = never, held_until_{};
};

}  // namespace ayatori::transport
