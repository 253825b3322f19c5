#include "ayatori/libfabric/libfabric_wire.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/fixtures/stopped_receiver_fixtures.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

constexpr JobKey key = 0xfab51c;

/// Each test has addresses of its own, one a rank, of the millions that the loopback has.
UdpAddresses own_addresses() {
  static std::uint32_t tests = 0;
  UdpAddresses addresses;
  addresses.first_host = 127U << 24 | 1U << 23 | (static_cast<std::uint32_t>(getpid()) & 0x7FFF) << 8 | ++tests * 16;
  return addresses;
}

std::unique_ptr<LibfabricWire> wire_of(LibfabricOptions options, Rank self) {
  options.self = self;
  return need(LibfabricWire::make(options));
}

/// Over libfabric's provider `udp`, which some packages have as a separate module: it may be missing.
class LibfabricUdp : public testing::Test {
 protected:
  void SetUp() override {
    const auto made = LibfabricWire::make(options);
    if (!made && made.error().code == ENODATA) GTEST_SKIP() << made.error().message;
    ASSERT_TRUE(made) << made.error().message << ": " << made.error().cause;
  }

  LibfabricOptions options{.addresses = own_addresses()};
};

TEST_F(LibfabricUdp, ExchangeBetweenThreadsDeliversEveryMessage) {
  for (const Rank procs : {2U, 4U}) {
    options.addresses = own_addresses();
    in_threads(procs, [&](Rank rank) {
      const auto wire = wire_of(options, rank);
      TestProcess(*wire, {rank, key, rank, 0}, {}).exchange(procs, 200 / procs, 60'000);
    });
  }
}

TEST_F(LibfabricUdp, ExchangeWithOneBufferAndOnePeerDeliversEveryMessage) {
  options.datagram_bytes = 500;
  options.receive_buffers = 1;
  options.send_buffers = 1;
  options.peers = 1;
  in_processes(4, [&](Rank rank) {
    const auto wire = wire_of(options, rank);
    TestProcess(*wire, {rank, key, rank, 0}, with_receive_buffers(1)).exchange(4, 40, 8'000);
  });
}

TEST_F(LibfabricUdp, EveryMessageReachesAReceiverThatWasStopped) {
  stop_and_continue_a_receiver([&](Rank rank) { return wire_of(options, rank); }, key);
}

/// Addresses that follow from no rule: the system chooses the ports.
TEST_F(LibfabricUdp, SendAsksTheResolverForAddresses) {
  constexpr Rank procs = 3;
  std::mutex mutex;
  std::condition_variable all_here;
  std::map<Rank, FabricAddress> published;
  options.domain = "lo";
  options.peers = 1;
  options.resolve = [&](Rank rank) -> Result<FabricAddress> {
    const std::lock_guard lock(mutex);
    return published.at(rank);
  };
  in_threads(procs, [&](Rank rank) {
    const auto wire = wire_of(options, rank);
    {
      std::unique_lock lock(mutex);
      published[rank] = wire->address();
      all_here.notify_all();
      all_here.wait(lock, [&] { return published.size() == procs; });
    }
    TestProcess(*wire, {rank, key, rank, 0}, {}).exchange(procs, 60, 8'000);
  });
}

TEST_F(LibfabricUdp, UnresolvedDatagramsAreCounted) {
  options.domain = "lo";
  options.resolve = [](Rank rank) -> Result<FabricAddress> { return fail("rank {} has not started", rank); };
  const auto wire = wire_of(options, 0);
  const std::vector<std::byte> bytes(100);
  EXPECT_TRUE(wire->send({3, false, bytes, {}}));
  EXPECT_EQ(wire->statistics().unresolved, 1U);
  ASSERT_TRUE(wire->problem());
  EXPECT_EQ(wire->problem()->message, "rank 3 has not started");
}

TEST_F(LibfabricUdp, DatagramsAreNoLargerThanTheProviderTakes) {
  const auto wire = wire_of(options, 0);
  EXPECT_EQ(wire->datagram_bytes(), 1'472U) << "fi_info -p udp -t FI_EP_DGRAM -v: max_msg_size";
  options.datagram_bytes = 1'000;
  EXPECT_EQ(wire_of(options, 1)->datagram_bytes(), 1'000U);
}

TEST_F(LibfabricUdp, WaitEndsWithADatagramOrAnInterrupt) {
  const auto wire = wire_of(options, 0);
  wire->interrupt();
  wire->wait(1h);
  const auto peer = wire_of(options, 1);
  const std::vector<std::byte> bytes(100);
  for (int round = 0; round < 3; ++round) {
    const std::jthread sender([&] { EXPECT_TRUE(peer->send({0, false, bytes, {}})); });
    while (wire->poll(1, [](auto) {}) == 0) wire->wait(1h);
  }
}

TEST_F(LibfabricUdp, MakeNamesTheCallThatWasRefused) {
  const auto first = wire_of(options, 0);
  const auto second = LibfabricWire::make(options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "libfabric's provider udp refused fi_endpoint");
  EXPECT_EQ(second.error().cause, "Address already in use");
  EXPECT_EQ(second.error().code, EADDRINUSE);
}

TEST(LibfabricWire, MakeNamesTheOptionThatIsOutOfRange) {
  const auto message = [](const LibfabricOptions& options) {
    const auto made = LibfabricWire::make(options);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(message({.receive_buffers = 0}), "receive_buffers is 0; it must be at least 1");
  EXPECT_EQ(message({.send_buffers = 0}), "send_buffers is 0; it must be at least 1");
  EXPECT_EQ(message({.peers = 0}), "peers is 0; it must be at least 1");
  EXPECT_EQ(message({.datagram_bytes = 191}), "datagram_bytes is 191; it must be at least 192");
  EXPECT_EQ(message({.provider = "pigeons"}),
            "libfabric has no FI_EP_DGRAM endpoint of provider 'pigeons' with IPv4 addresses, with 64 send and 512 "
            "receive buffers");
}

}  // namespace
}  // namespace ayatori::wires
