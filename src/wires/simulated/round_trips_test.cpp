// A small message goes back and forth over a network that loses datagrams by chance. Time is virtual, so the round
// trips are the same in each run.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ayatori/simulated/network.hpp"

namespace ayatori::simulated {
namespace {

using namespace transport;

class Player final : public Application {
 public:
  Player(Network& network, bool serves) : network_(network), serves_(serves) {}

  void play(Endpoint& endpoint, PeerId peer) {
    endpoint_ = &endpoint;
    peer_ = peer;
    if (serves_) send();
  }

  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void release(std::byte*) override {}
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {
    if (serves_) round_trips.push_back(network_.now() - since_);
    send();
  }

  std::vector<Duration> round_trips;

 private:
  void send() {
    since_ = network_.now();
    EXPECT_TRUE(endpoint_->send(network_.now(), peer_, ball_, 0));
  }

  Network& network_;
  bool serves_;
  Endpoint* endpoint_ = nullptr;
  PeerId peer_ = 0;
  Time since_{};
  std::vector<std::byte> ball_ = std::vector<std::byte>(64);
};

TEST(RoundTrips, NinetyNineOfAHundredTakeAtMostTenMediansIfOneDatagramInAHundredIsLost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Scenario scenario;
    scenario.seed = seed;
    scenario.drop = 0.01;
    Network network(scenario);
    Player first(network, true), second(network, false);
    auto one = Endpoint::make({.self = 0, .key = 1, .seed = seed}, {}, first);
    auto other = Endpoint::make({.self = 1, .key = 1, .seed = seed + 1}, {}, second);
    ASSERT_TRUE(one && other);
    network.attach(0, *one);
    network.attach(1, *other);
    second.play(*other, 0);
    first.play(*one, 1);
    network.wake(0);
    ASSERT_TRUE(network.run_until([&] { return first.round_trips.size() >= 10'000; }, Time(std::chrono::hours(1))));
    std::vector<Duration>& times = first.round_trips;
    std::ranges::sort(times);
    const Duration median = times[times.size() / 2], late = times[times.size() * 99 / 100];
    EXPECT_LE(late, 10 * median) << "of " << median.count() << " ns; the longest takes " << times.back().count();
  }
}

}  // namespace
}  // namespace ayatori::simulated
