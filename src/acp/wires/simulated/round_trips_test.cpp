// A small message goes back and forth over a network that loses datagrams by chance. Time is virtual, so the round
// trips are the same in each run.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
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

/// Two peers, of which the first one serves.
struct Match {
  explicit Match(std::uint64_t seed, const Scenario& scenario) : network(scenario) {
    for (const auto& [self, player] : {std::pair{0U, &first}, std::pair{1U, &second}}) {
      auto made = Endpoint::make({.self = self, .key = 1, .seed = seed + self}, {}, *player);
      EXPECT_TRUE(made);
      endpoints.push_back(std::move(*made));
    }
    network.attach(0, endpoints[0]);
    network.attach(1, endpoints[1]);
    second.play(endpoints[1], 0);
    first.play(endpoints[0], 1);
    network.wake(0);
  }

  [[nodiscard]] bool has_made(std::size_t round_trips) const { return first.round_trips.size() >= round_trips; }

  Network network;
  Player first{network, true}, second{network, false};
  std::deque<Endpoint> endpoints;
};

Scenario losing_one_in_a_hundred(std::uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.drop = 0.01;
  return scenario;
}

TEST(RoundTrips, NinetyNineOfAHundredTakeAtMostTenMediansIfOneDatagramInAHundredIsLost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Match match(seed, losing_one_in_a_hundred(seed));
    ASSERT_TRUE(match.network.run_until([&] { return match.has_made(10'000); }, Time(std::chrono::hours(1))));
    std::vector<Duration>& times = match.first.round_trips;
    std::ranges::sort(times);
    const Duration median = times[times.size() / 2], late = times[times.size() * 99 / 100];
    EXPECT_LE(late, 10 * median) << "of " << median.count() << " ns; the longest takes " << times.back().count();
  }
}

/// Both processors are taken away for 4 ms every 20 ms, as a scheduler does. Who waits for a peer that does not run
/// must not fill its buffers with copies: the packet is there.
TEST(RoundTrips, PeersThatLoseTheirProcessorsGetHardlyAnythingTwice) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Match match(seed, losing_one_in_a_hundred(seed));
    for (Time until{}; !match.has_made(10'000); until += std::chrono::milliseconds(10)) {
      ASSERT_LT(until, Time(std::chrono::minutes(1)));
      (void)match.network.run_until([&] { return match.has_made(10'000); }, until);
      match.network.occupy((until.time_since_epoch().count() / 10'000'000) % 2, until + std::chrono::milliseconds(4));
    }
    for (const Endpoint& endpoint : match.endpoints) {
      EXPECT_GT(endpoint.statistics().retransmissions, 50U) << "one in a hundred is lost";
      EXPECT_LE(endpoint.statistics().duplicates, 100U) << "of 10,000 packets";
    }
  }
}

}  // namespace
}  // namespace ayatori::simulated
