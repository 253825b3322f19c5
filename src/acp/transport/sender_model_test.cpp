// One flow of a Sender against a model of it.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "sender.hpp"
#include "sender_model_fixtures.hpp"

namespace ayatori::transport {
namespace sender_model_test {

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
    return fmt::format("{}{}", word_for(packet.kind), packet.resent ? " again" : "");
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
    if (random_.below(4) > 0) said.echo = stamp_of(now_ - Duration(random_.below(20'000)));
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
    EXPECT_EQ(states_.phase, model_.phase);
    EXPECT_EQ(sender_.contexts(), model_.phase == Phase::closed ? 0U : 1U);
    EXPECT_EQ(sender_.next_deadline(), model_.deadline);
    if (model_.phase == Phase::closed) return;
    EXPECT_EQ(states_.credit, model_.credit);
    EXPECT_EQ(states_.activity, model_.activity);
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
  for (std::uint64_t seed = 1; seed <= test::tries(100U, 300U); ++seed) {
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

}  // namespace sender_model_test
}  // namespace ayatori::transport
