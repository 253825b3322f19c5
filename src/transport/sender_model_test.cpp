// One flow of a Sender against a model that knows the rules of flow_state.hpp, loss_recovery.hpp and
// congestion_control.hpp, but no windows of bits, queues or heaps: sets of packets, looked through each time.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "sender.hpp"

namespace ayatori::transport {
namespace {

using namespace std::chrono_literals;

constexpr PeerId peer = 1;

Options options_of(Random& random) {
  Options options;
  options.coalesce = false;
  options.messages = 40;
  options.outgoing_contexts = 1;
  options.window = static_cast<std::uint32_t>(1 + random.below(64));
  options.initial_window = static_cast<std::uint32_t>(1 + random.below(options.window));
  options.close_after = 1ms;
  options.give_up_after = 5ms;
  options.give_up_attempts = 4;
  options.retransmission.timer = Retransmission::Timer::fixed;
  options.retransmission.fixed_timeout = 100us;
  options.retransmission.longest_timeout = 2ms;
  options.retransmission.admission = random.below(3) > 0;
  return options;
}

/// A packet that the sender wants to send, or that nothing is to be sent.
std::string text_of(PacketKind kind, Sequence sequence, bool resent, bool more) {
  return fmt::format("{} {}{}{}", name(kind), sequence, resent ? " again" : "", more ? " and more" : "");
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
    grown_ += flight - std::min(flight, in_flight());
    if (grown_ >= window_) {
      grown_ = 0;
      window_ = std::min(window_ + 1, options_.window);
    }
    if (said.serial > serial_) take_newer(said, asked);
    if (arrived_.size() >= 3 && cumulative_ >= recovery_end_) {
      declare_lost(*std::next(arrived_.rbegin(), 2));
      recovery_end_ = next_;
    }
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
      if (next_ == cumulative_ || (admission && !(rationed_ && attempts_ <= 64))) {
        credit = CreditState::ask_due;
      } else {
        declare_lost(next_);
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
    cumulative_ = next_ = recovery_end_ = 0;
    limit_ = window_ = options_.initial_window;
    grown_ = serial_ = 0;
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
    declare_lost(std::min(asked, next_));
  }
  void declare_lost(Sequence end) {
    const auto flight = in_flight();
    for (Sequence sequence = cumulative_; sequence < end; ++sequence) {
      if (!arrived_.contains(sequence)) lost_.insert(sequence);
    }
    if (in_flight() < flight && !options_.retransmission.admission) window_ = std::max(1U, window_ / 2);
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
      deadline = now + (activity == Activity::idle ? options_.close_after : timeout());
    }
  }

  Options options_;
  std::set<Sequence> arrived_, lost_;
  Sequence cumulative_ = 0, next_ = 0, limit_ = 0, recovery_end_ = 0;
  std::uint32_t window_ = 0, grown_ = 0, serial_ = 0, queued_ = 0, unsent_ = 0, attempts_ = 0;
  int ask_backoff_ = 0;
  bool rationed_ = false, ready_ = false;
  Time unanswered_since_ = never, held_until_{};
};

/// Keeps the states that a flow was last said to be in, and its epoch.
struct States final : Observer {
  void state_changed(Time, const FlowName& flow, Phase, Phase to) override {
    phase = to;
    epoch = flow.epoch;
    if (to == Phase::closed) {
      credit = CreditState::granted;
      activity = Activity::idle;
    }
  }
  void state_changed(Time, const FlowName&, CreditState, CreditState to) override { credit = to; }
  void state_changed(Time, const FlowName&, Activity, Activity to) override { activity = to; }

  Phase phase = Phase::closed;
  CreditState credit = CreditState::granted;
  Activity activity = Activity::idle;
  Epoch epoch = 0;
};

struct NoApplication final : Application {
  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
};

class Pair {
 public:
  explicit Pair(std::uint64_t seed)
      : random_(seed),
        options_(options_of(random_)),
        shared_(options_, application_, seed, 0),
        sender_(shared_),
        model_(options_) {
    shared_.trace.observe(&states_);
  }

  void step() {
    now_ += Duration(random_.below(3) == 0 ? random_.below(60'000) : random_.below(2'000));
    shared_.trace.at(now_);
    expire();
    switch (random_.below(12)) {
      case 0:
      case 1:
        send();
        break;
      case 2:
      case 3:
      case 4:
        acknowledge();
        break;
      case 5:
        if (random_.below(10) == 0) control();
        break;
      case 6:
        if (random_.below(5) == 0) now_ = std::max(now_, std::min(model_.deadline, now_ + 3ms));
        break;
      default:
        ++seen_[next_packet()];
    }
    shared_.notices = {};
    compare();
  }

  std::map<std::string, int> seen_;  // what kind of packets went out

 private:
  void send() {
    if (!sender_.send(now_, peer, {}, 0, false)) return;
    model_.send(now_);
  }

  std::string next_packet() {
    Packet packet;
    const bool any = sender_.next_packet(now_, packet);
    const std::string sent = any ? text_of(packet.kind, packet.sequence, packet.resent, packet.more) : "nothing";
    EXPECT_EQ(sent, model_.next_packet(now_));
    if (!any) return sent;
    return fmt::format("{}{}", name(packet.kind), packet.resent ? " again" : "");
  }

  /// Now and then one that says what can't be.
  void acknowledge() {
    if (model_.phase == Phase::closed) return;
    Packet packet;
    packet.from = peer;
    Acknowledgement said;
    said.epoch = states_.epoch;
    said.cumulative =
        model_.cumulative() + below(model_.next() - model_.cumulative() + (random_.below(50) == 0 ? 3 : 1));
    if (random_.below(3) > 0) said.cumulative = std::min(said.cumulative, model_.cumulative() + 1);
    said.selective = random_.below(2) == 0 ? 0 : random_() & random_();
    said.serial = random_.below(10) == 0 ? serial_ : ++serial_;
    said.credit = random_.below(4) == 0 ? 0 : 1 + below(64);
    said.queued = random_.below(2) == 0;
    said.rationed = random_.below(2) == 0;
    said.answer = random_.below(4) == 0;
    packet.sequence = model_.cumulative() + below(model_.next() - model_.cumulative() + 2);
    packet.acknowledgement = said;
    sender_.on_heard(now_, peer);
    sender_.on_acknowledgement(now_, packet);
    EXPECT_EQ(acknowledged(), model_.acknowledge(said, packet.sequence, now_));
  }

  void control() {
    if (model_.phase == Phase::closed) return;
    Packet packet;
    packet.from = peer;
    packet.epoch = states_.epoch;
    packet.floor = states_.epoch + 5;
    sender_.on_heard(now_, peer);
    if (random_.below(4) > 0) {
      sender_.on_retire(now_, packet);
      model_.retire(now_);
    } else {
      sender_.on_renew(now_, packet);
      model_.renew(now_);
    }
  }

  /// Both have at most one deadline that is due: a timer that fires sets one in the future.
  void expire() {
    if (model_.deadline > now_) return;
    sender_.advance(now_);
    model_.time_out(now_);
  }

  std::uint32_t acknowledged() {
    const auto is = [](const Event& event) { return event.kind == Event::Kind::acknowledged; };
    return static_cast<std::uint32_t>(std::ranges::count_if(shared_.events, is));
  }

  void compare() {
    shared_.events.clear();
    EXPECT_EQ(name(states_.phase), name(model_.phase));
    EXPECT_EQ(sender_.contexts(), model_.phase == Phase::closed ? 0U : 1U);
    EXPECT_EQ(sender_.next_deadline(), model_.deadline);
    if (model_.phase == Phase::closed) return;
    EXPECT_EQ(name(states_.credit), name(model_.credit));
    EXPECT_EQ(name(states_.activity), name(model_.activity));
  }

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_.below(end)); }

  Random random_;
  Options options_;
  NoApplication application_;
  States states_;
  Shared shared_;
  Sender sender_;
  Model model_;
  Time now_{1ms};
  std::uint32_t serial_ = 0;
};

TEST(Sender, OneFlowAgreesWithAModelOnRandomEvents) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Pair pair(seed);
    for (int step = 0; step < 1'000; ++step) {
      SCOPED_TRACE(fmt::format("step {}", step));
      pair.step();
      if (HasFailure()) return;
    }
    for (const auto& [what, count] : pair.seen_) seen[what] += count;
  }
  for (const char* what : {"data", "data again", "ask", "nothing"}) EXPECT_GT(seen[what], 100) << what;
}

}  // namespace
}  // namespace ayatori::transport
