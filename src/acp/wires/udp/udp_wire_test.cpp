#include "ayatori/udp/udp_wire.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <set>
#include <vector>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/clock_fixtures.hpp"
#include "ayatori/fixtures/loopback_ranks_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/fixtures/stopped_receiver_fixtures.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

constexpr JobKey key = 0x5eed;

/// Fails at random, as a kernel may; otherwise makes the real calls.
class FailingKernel final : public DatagramCalls {
 public:
  explicit FailingKernel(std::uint64_t seed) : random_(seed) {}

  int send(int socket, std::span<mmsghdr> messages) override {
    constexpr int errors[] = {ENOBUFS, EAGAIN, ENOMEM, EINTR, ECONNREFUSED, EHOSTUNREACH};
    if (messages[0].msg_hdr.msg_control) return fail_with(EIO);
    if (random_.below(4) == 0) return fail_with(errors[random_.below(std::size(errors))]);
    return DatagramCalls::send(socket, messages.first(1 + random_.below(messages.size())));
  }
  ssize_t receive(int socket, std::span<std::byte> memory, KernelAddress& source) override {
    if (random_.below(8) == 0) return fail_with(ECONNREFUSED);
    return DatagramCalls::receive(socket, memory, source);
  }

 private:
  static int fail_with(int error) {
    errno = error;
    return -1;
  }
  Random random_;
};

TEST(UdpSocket, AddressesAreThoseOfBothFamilies) {
  const SocketAddress ipv4{IpAddress(10U << 24 | 7), 24'001};
  const SocketAddress ipv6{*parse_ip_address("fd00::1"), 24'001};
  EXPECT_EQ(text_of(ipv4), "10.0.0.7:24001");
  EXPECT_EQ(text_of(ipv6), "[fd00::1]:24001");
  EXPECT_EQ(socket_address(kernel_address(ipv4, AF_INET)), ipv4);
  EXPECT_EQ(socket_address(kernel_address(ipv4, AF_INET6)), ipv4);
  EXPECT_EQ(socket_address(kernel_address(ipv6, AF_INET6)), ipv6);
}

/// So many that two would have the same port if the kernel chose freely: it has 28,000.
TEST(UdpSocket, KernelChoosesThePortAndNeverTwice) {
  const IpAddress own[] = {IpAddress(127U << 24 | 1)};
  std::vector<UdpSocket> sockets;
  std::set<std::uint16_t> ports{0};
  for (int i = 0; i < 800; ++i) {
    sockets.push_back(need(open_udp_socket(own)));
    share_port(sockets.back());
    EXPECT_TRUE(ports.insert(sockets.back().port).second) << sockets.back().port;
  }
  const IpAddress foreign[] = {IpAddress(192U << 24 | 2 << 8 | 1)};
  const auto refused = open_udp_socket(foreign);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "this process can't have the address 192.0.2.1:0");
}

TEST(UdpSocket, PortThatIsSharedCanBeTakenOver) {
  const IpAddress own[] = {IpAddress(127U << 24 | 1)};
  const UdpSocket first = need(open_udp_socket(own));
  EXPECT_FALSE(open_udp_socket(own, first.port));
  share_port(first);
  EXPECT_EQ(need(open_udp_socket(own, first.port)).port, first.port);
}

TEST(UdpWire, MakeNamesTheOptionThatIsOutOfRange) {
  const auto made = UdpWire::make({.datagram_bytes = 65'505}, {}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "datagram_bytes is 65505; over UDP it must be 192 to 65504");
}

TEST(UdpWire, DatagramsWaitForAnAddressForAWhile) {
  const LoopbackRanks ranks;
  SetClock clock;
  bool known = false;
  const UdpPeers peers{.find = [&](Rank rank) { return known ? std::optional(ranks.of(rank)) : std::nullopt; },
                       .admits = {}};
  const auto sender = need(UdpWire::make({}, ranks.socket(0), peers, clock));
  const auto receiver = ranks.wire(1);
  const std::vector<std::byte> small(100);
  const std::vector<std::byte> large(20'000);
  std::size_t arrived = 0;
  const auto poll = [&] { return receiver->poll(10, [&](auto datagram) { arrived += datagram.size(); }); };
  ASSERT_TRUE(sender->send({1, false, small, {}}));
  sender->flush();
  EXPECT_FALSE(sender->send({1, false, large, {}}));
  EXPECT_EQ(poll(), 0U);
  known = true;
  ASSERT_TRUE(sender->send({1, false, large, {}}));
  while (arrived < small.size() + large.size()) poll();
  known = false;
  ASSERT_TRUE(sender->send({1, false, small, {}}));
  sender->flush();
  clock.time += 20ms;
  sender->flush();
  EXPECT_EQ(sender->statistics().unreachable, 1U);
  EXPECT_FALSE(sender->send({1, false, large, {}}));
  clock.time += 20ms;
  EXPECT_TRUE(sender->send({1, false, large, {}})) << "it is lost";
  EXPECT_EQ(sender->statistics().unreachable, 2U);
}

TEST(UdpWire, DatagramsThatAreNotAdmittedAreDropped) {
  const LoopbackRanks ranks;
  UdpPeers peers = ranks.peers();
  peers.admits = [&](const SocketAddress& source, auto) { return source == ranks.of(1); };
  const auto receiver = need(UdpWire::make({}, ranks.socket(0), peers));
  const std::vector<std::byte> bytes(100);
  for (const Rank from : {1U, 2U}) {
    const auto sender = ranks.wire(from);
    ASSERT_TRUE(sender->send({0, false, bytes, {}}));
    sender->flush();
  }
  std::size_t taken = 0;
  while (receiver->statistics().strangers == 0 || taken == 0) receiver->poll(10, [&](auto) { ++taken; });
  EXPECT_EQ(taken, 1U);
}

class UdpExchange : public testing::TestWithParam<std::tuple<Rank, std::uint32_t>> {};

TEST_P(UdpExchange, DeliversEveryMessageBetweenThreads) {
  const auto [procs, datagram_bytes] = GetParam();
  const LoopbackRanks ranks;
  in_threads(procs, [&, procs = procs, bytes = datagram_bytes](Rank rank) {
    const auto wire = ranks.wire(rank, {.datagram_bytes = bytes});
    TestProcess(*wire, {rank, key, rank, 0}, {}).exchange(procs, 300 / procs, 60'000);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, UdpExchange,
                         testing::Values(std::tuple{2, 65'504U}, std::tuple{2, 1'470U}, std::tuple{5, 8'192U},
                                         std::tuple{8, 1'470U}));

TEST(UdpWire, ExchangeDeliversEveryMessageIfTheReceiverHasOneBuffer) {
  const LoopbackRanks ranks;
  in_processes(3, [&](Rank rank) {
    const auto wire = ranks.wire(rank, {.datagram_bytes = 1'470, .receive_bytes = 1});
    TestProcess(*wire, {rank, key, rank, 0}, with_receive_buffers(1)).exchange(3, 60, 20'000);
  });
}

TEST(UdpWire, ExchangeDeliversEveryMessageIfTheKernelLacksBuffersAndSegmentation) {
  const LoopbackRanks ranks;
  in_threads(3, [&](Rank rank) {
    FailingKernel kernel(rank + 1);
    const auto wire = ranks.wire(rank, {.datagram_bytes = 1'470}, kernel);
    TestProcess(*wire, {rank, key, rank, 0}, {}).exchange(3, 100, 20'000);
    const UdpStatistics statistics = wire->statistics();
    if (statistics.no_room == 0 || statistics.dropped == 0) throw std::runtime_error("the kernel never refused");
    if (statistics.segmentation) throw std::runtime_error("segments were never tried");
  });
}

TEST(UdpWire, DatagramsOfOtherJobsAreDropped) {
  const LoopbackRanks ranks;
  const auto wire = ranks.wire(0);
  const auto other = ranks.wire(1);
  TestProcess process(*wire, {0, key, 0, 0}, {});
  TestProcess stranger(*other, {1, key + 1, 1, 0}, {});
  stranger.send(0, 0, 1'000);
  const Descriptor raw(socket(AF_INET, SOCK_DGRAM, 0));
  const KernelAddress to = kernel_address(ranks.of(0), AF_INET);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::vector<char> noise(size, static_cast<char>(size));
    sendto(raw.number(), noise.data(), size, 0, to.get(), to.size);
  }
  process.run([&] {
    stranger.step();
    const Statistics& seen = process.endpoint().statistics();
    return seen.strangers > 0 && wire->statistics().malformed > 0;
  });
  EXPECT_EQ(process.delivered, 0U);
  EXPECT_EQ(process.endpoint().incoming_contexts(), 0U);
}

TEST(UdpWire, EveryMessageReachesAReceiverThatWasStopped) {
  const LoopbackRanks ranks;
  stop_and_continue_a_receiver([&](Rank rank) { return ranks.wire(rank, {.datagram_bytes = 8'000}); }, key);
}

TEST(UdpWire, KilledPeerIsReportedAsLost) {
  const LoopbackRanks ranks;
  Child receiver([&] {
    const auto wire = ranks.wire(1);
    TestProcess process(*wire, {1, key, 1, 0}, {});
    process.run([] { return false; });
  });
  const auto wire = ranks.wire(0);
  TestProcess process(*wire, {0, key, 0, 0}, giving_up_after(100ms));
  process.send(1, 0, 1'000);
  process.run([&] { return process.idle(); });
  receiver.signal(SIGKILL);
  EXPECT_EQ(receiver.wait(), -SIGKILL);
  process.send(1, 1, 1'000);
  process.run([&] { return !process.lost_peers.empty(); });
  EXPECT_EQ(process.lost_peers, std::vector<PeerId>{1});
  EXPECT_EQ(process.failures, 1U);
  EXPECT_TRUE(process.endpoint().fully_closed());
}

void set_loopback_mtu(int mtu) {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  if (ioctl(any.number(), SIOCSIFFLAGS, &request) != 0) throw std::runtime_error("lo can't be brought up");
  request.ifr_mtu = mtu;
  if (ioctl(any.number(), SIOCSIFMTU, &request) != 0) throw std::runtime_error("no MTU can be set");
}

TEST(UdpWire, EveryMessageArrivesIfTheMtuShrinks) {
  Child host([] {
    if (unshare(CLONE_NEWNET) != 0) _exit(77);
    set_loopback_mtu(9'000);
    const LoopbackRanks ranks;
    std::atomic<bool> shrunk = false;
    in_threads(2, [&](Rank rank) {
      const auto wire = ranks.wire(rank, {.datagram_bytes = 8'970});
      TestProcess process(*wire, {rank, key, rank, 0}, {});
      for (std::uint32_t i = 0; i < 1'000; ++i) process.send(1 - rank, i, 20'000);
      process.run([&] {
        if (process.delivered > 300 && !shrunk.exchange(true)) set_loopback_mtu(1'500);
        return process.delivered == 1'000 && process.idle();
      });
      process.linger();
    });
    if (testing::Test::HasFailure()) throw std::runtime_error("messages are missing");
  });
  const int code = host.wait();
  if (code == 77) GTEST_SKIP() << "network namespaces need root";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace ayatori::wires
