#include "ayatori/driver/driver.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "ayatori/fixtures/clock_fixtures.hpp"

namespace ayatori::wires {
namespace {

using namespace transport;
using namespace std::chrono_literals;

using Copy = std::vector<std::byte>;

/// Records what is sent, as long as there is room, and returns the datagrams that the test has put into `arriving`.
struct ScriptedWire final : Wire {
  std::size_t datagram_bytes() const override { return 4096; }
  bool send(const Datagram& datagram) override {
    if (room == 0) return false;
    --room;
    Copy& copy = sent.emplace_back(datagram.header.begin(), datagram.header.end());
    copy.insert(copy.end(), datagram.payload.begin(), datagram.payload.end());
    return true;
  }
  void flush() override {}
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override {
    std::size_t count = 0;
    for (; count < max_datagrams && !arriving.empty(); ++count) {
      take(arriving.front());
      arriving.pop_front();
    }
    return count;
  }
  void wait(Duration timeout) override { slept.push_back(timeout); }

  std::size_t room = 1000;
  std::deque<Copy> sent, arriving;
  std::vector<Duration> slept;
};

struct Counter final : Application {
  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte> message, std::byte*) override { got.push_back(message.size()); }
  void release(std::byte*) override {}
  void acknowledged(Token) override { ++acknowledgements; }
  void lost(PeerId, Time) override { ++losses; }
  std::vector<std::size_t> got;
  int acknowledgements = 0;
  int losses = 0;
};

struct Process {
  explicit Process(Rank self, Options options = {})
      : endpoint(*Endpoint::make({.self = self, .key = 7, .seed = self}, options, above)) {}
  SetClock clock;
  ScriptedWire wire;
  Counter above;
  Endpoint endpoint;
  Driver driver{endpoint, wire, clock};
};

void carry(Process& from, Process& to) {
  std::ranges::move(std::exchange(from.wire.sent, {}), std::back_inserter(to.wire.arriving));
}

const std::vector<std::byte> bytes(300);

TEST(Driver, DatagramThatFoundNoRoomIsSentFirst) {
  Process a(0), b(1);
  for (std::size_t size = 1; size <= 5; ++size)
    ASSERT_TRUE(a.endpoint.send(a.driver.now(), 1, std::span(bytes).first(size), size));
  for (std::size_t room = 0; room < 4; ++room) {
    a.wire.room = room;
    a.driver.progress();
    carry(a, b);
  }
  b.driver.progress();
  EXPECT_EQ(b.above.got, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(a.endpoint.statistics().retransmissions, 0U);
}

TEST(Driver, TimersRunAfterEverythingThatArrivedWasReceived) {
  Options options;
  options.give_up_after = 1s;
  options.give_up_attempts = 1;
  Process a(0, options), b(1);
  ASSERT_TRUE(a.endpoint.send(a.driver.now(), 1, bytes, 1));
  a.driver.progress();
  carry(a, b);
  while (b.driver.progress()) continue;
  // More datagrams than those of one round come before the acknowledgement.
  for (int i = 0; i < 1000; ++i) a.wire.arriving.emplace_back(40);
  carry(b, a);
  a.clock.time += 1h;
  while (a.driver.progress()) continue;
  EXPECT_EQ(a.above.acknowledgements, 1);
  EXPECT_EQ(a.above.losses, 0);
  EXPECT_EQ(a.endpoint.statistics().retransmissions + a.endpoint.statistics().asks, 0U);
}

TEST(Driver, TimersRunEvenIfDatagramsNeverEnd) {
  Process a(0);
  ASSERT_TRUE(a.endpoint.send(a.driver.now(), 1, bytes, 1));
  a.driver.progress();
  a.clock.time += 1s;
  for (int i = 0; i < 2000 && a.endpoint.statistics().asks == 0; ++i) {
    for (int n = 0; n < 64; ++n) a.wire.arriving.emplace_back(40);
    a.driver.progress();
  }
  EXPECT_EQ(a.endpoint.statistics().asks, 1U);
}

TEST(Driver, SleepEndsWithTheNextDeadline) {
  Process a(0);
  a.driver.sleep(5s);
  ASSERT_TRUE(a.endpoint.send(a.driver.now(), 1, bytes, 1));
  a.driver.progress();
  a.driver.sleep(5s);
  ASSERT_EQ(a.wire.slept.size(), 2U);
  EXPECT_EQ(a.wire.slept[0], 5s);
  EXPECT_EQ(a.driver.now() + a.wire.slept[1], a.endpoint.next_deadline());
  a.clock.time += 1h;
  a.driver.sleep(5s);
  EXPECT_EQ(a.wire.slept.size(), 2U) << "it is due now";
}

TEST(SteadyClock, NeverGoesBack) {
  SteadyClock clock;
  const Time first = clock.now();
  EXPECT_LE(first, clock.now());
}

}  // namespace
}  // namespace ayatori::wires
