/// \file
/// The wire over simulated ports.

#include "ayatori/verbs/verbs_wire.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "bootstrap_fixtures.hpp"
#include "port_fixtures.hpp"

namespace ayatori::wires {
namespace verbs_wire_test {

using namespace std::chrono_literals;

constexpr JobKey key = 0x5eed;

struct FailureRate {
  VerbsOptions options;
  std::uint32_t one_in = 0;  // sends that fail, and that find no room
};

class VerbsExchange : public testing::TestWithParam<FailureRate> {};

TEST_P(VerbsExchange, DeliversEveryMessageBetweenThreads) {
  const auto& [options, one_in] = GetParam();
  constexpr Rank procs = 4;
  SimulatedNetwork network;
  Bootstrap bootstrap(procs);
  std::atomic<std::uint64_t> no_room = 0;
  std::atomic<std::uint64_t> failed = 0;
  in_threads(procs, [&, &options = options, one_in = one_in](Rank rank) {
    auto port = std::make_unique<SimulatedPort>(network, rank + 1, one_in);
    const auto wire = need(VerbsWire::make(options, bootstrap.resolver(), std::move(port)));
    bootstrap.publish(rank, wire->address());
    TestProcess(*wire, {rank, key, rank, 0}, with_receive_buffers(options.receive_buffers)).exchange(procs, 50, 20'000);
    no_room += wire->statistics().no_room;
    failed += wire->statistics().failed;
  });
  EXPECT_EQ(failed > 0, one_in > 0);
  EXPECT_TRUE(no_room > 0 || (options.send_buffers > 1 && one_in == 0));
}

INSTANTIATE_TEST_SUITE_P(
    FailureRates, VerbsExchange,
    testing::Values(FailureRate{}, FailureRate{{}, 50},
                    FailureRate{{.receive_buffers = 1, .control_buffers = 1, .send_buffers = 1, .peers = 1}, 0},
                    FailureRate{{.receive_buffers = 4, .control_buffers = 2, .send_buffers = 8, .peers = 2}, 20}));

struct Pair {
  explicit Pair(const VerbsOptions& options) {
    for (auto* end : {&first, &second}) {
      auto opened = std::make_unique<SimulatedPort>(network, 1, 0);
      (end == &first ? first_port : second_port) = opened.get();
      *end = need(VerbsWire::make(
          options, [this](Rank rank) -> Result<UdAddress> { return (rank == 0 ? first : second)->address(); },
          std::move(opened)));
    }
  }
  SimulatedNetwork network;
  SimulatedPort* first_port = nullptr;
  SimulatedPort* second_port = nullptr;
  std::unique_ptr<VerbsWire> first;
  std::unique_ptr<VerbsWire> second;
  std::vector<std::byte> bytes = std::vector<std::byte>(500, std::byte{7});
};

TEST(VerbsWire, DataPacketsLeaveTheControlBuffersFree) {
  Pair pair({.receive_buffers = 2, .control_buffers = 3});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pair.first->send({1, false, pair.bytes, {}}));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pair.first->send({1, true, std::span(pair.bytes).first(40), {}}));
  EXPECT_EQ(pair.second_port->dropped, 5U);
  std::vector<std::size_t> sizes;
  const auto take = [&](std::span<const std::byte> datagram) {
    sizes.push_back(datagram.size());
    EXPECT_EQ(datagram.front(), std::byte{7}) << "the routing header is not part of it";
  };
  EXPECT_EQ(pair.second->poll(1, take), 1U);
  EXPECT_EQ(pair.second->poll(64, take), 4U);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{500, 500, 40, 40, 40}));
  ASSERT_TRUE(pair.first->send({1, false, pair.bytes, {}}));
  EXPECT_EQ(pair.second->poll(64, take), 1U) << "buffers are posted again";
}

TEST(VerbsWire, WaitEndsWithADatagram) {
  Pair pair({});
  for (int round = 0; round < 3; ++round) {
    const std::jthread sender([&] { EXPECT_TRUE(pair.second->send({0, false, pair.bytes, {}})); });
    while (pair.first->poll(1, [](auto) {}) == 0) pair.first->wait(1h);
  }
}

TEST(VerbsWire, WaitEndsAtOnceIfADatagramHasArrived) {
  Pair pair({});
  ASSERT_TRUE(pair.second->send({0, false, pair.bytes, {}}));
  pair.first->wait(1h);
  EXPECT_EQ(pair.first->poll(64, [](auto) {}), 1U);
}

TEST(VerbsWire, UnresolvedDatagramsAreCounted) {
  SimulatedNetwork network;
  const auto resolve = [](Rank rank) -> Result<UdAddress> {
    if (rank == 1) return UdAddress{};
    return fail("rank {} has not started", rank);
  };
  const auto wire = need(VerbsWire::make({}, resolve, std::make_unique<SimulatedPort>(network, 1, 0)));
  const std::vector<std::byte> bytes(100);
  EXPECT_TRUE(wire->send({2, false, bytes, {}}));
  ASSERT_TRUE(wire->problem());
  EXPECT_EQ(wire->problem()->message, "rank 2 has not started");
  EXPECT_TRUE(wire->send({1, false, bytes, {}})) << "no path there";
  EXPECT_EQ(wire->statistics().unresolved, 2U);
}

TEST(VerbsWire, MakeNamesTheOptionThatIsOutOfRange) {
  const auto message = [](const VerbsOptions& options) {
    SimulatedNetwork network;
    auto port = std::make_unique<SimulatedPort>(network, 1, 0);
    port->stop();
    const auto made = VerbsWire::make(options, {}, std::move(port));
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(message({.datagram_bytes = 191}), "datagram_bytes is 191; it must be at least 192");
  EXPECT_EQ(message({.receive_buffers = 0}), "receive_buffers is 0; it must be at least 1");
  EXPECT_EQ(message({.control_buffers = 0}), "control_buffers is 0; it must be at least 1");
  EXPECT_EQ(message({.send_buffers = 0}), "send_buffers is 0; it must be at least 1");
  EXPECT_EQ(message({.peers = 0}), "peers is 0; it must be at least 1");
}

TEST(VerbsWire, DatagramsAreNoLargerThanTheMtu) {
  EXPECT_EQ(Pair({}).first->datagram_bytes(), SimulatedPort::mtu);
  EXPECT_EQ(Pair({.datagram_bytes = 500}).first->datagram_bytes(), 500U);
}

TEST(VerbsWire, MakeReportsThatThereIsNoDevice) {
  const auto made = VerbsWire::make({.device = "no_such0"}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ENODEV);
  EXPECT_TRUE(made.error().message.starts_with("this machine has no RDMA device")) << made.error().message;
  EXPECT_NE(made.error().hint, "");
}

}  // namespace verbs_wire_test
}  // namespace ayatori::wires
