#include "ayatori/udp/udp_wire.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/fixtures/stopped_receiver_fixtures.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

constexpr JobKey key = 0x5eed;

/// Each test has addresses of its own, one a rank, of the millions that the loopback has.
UdpAddresses own_addresses() {
  static std::uint32_t tests = 0;
  UdpAddresses addresses;
  addresses.first_host = 127U << 24 | (static_cast<std::uint32_t>(getpid()) & 0xFFFF) << 8 | (++tests * 16 & 0xFF);
  return addresses;
}

std::unique_ptr<UdpWire> wire_of(UdpOptions options, Rank self, DatagramCalls& calls = kernel_calls()) {
  options.self = self;
  return need(UdpWire::make(options, calls));
}

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
  ssize_t receive(int socket, std::span<std::byte> memory) override {
    if (random_.below(8) == 0) return fail_with(ECONNREFUSED);
    return DatagramCalls::receive(socket, memory);
  }

 private:
  static int fail_with(int error) {
    errno = error;
    return -1;
  }
  Random random_;
};

TEST(UdpAddresses, AddressFollowsFromTheRank) {
  const UdpAddresses addresses{.first_host = 10U << 24 | 254, .first_port = 24'000, .ranks_per_host = 4};
  EXPECT_EQ(text_of(addresses.of(0)), "10.0.0.254:24000");
  EXPECT_EQ(text_of(addresses.of(7)), "10.0.0.255:24003");
  EXPECT_EQ(text_of(addresses.of(8)), "10.0.1.0:24000");
  EXPECT_EQ(addresses.host_of(7), 1U);
  EXPECT_TRUE(check(addresses));
}

TEST(UdpWire, MakeNamesTheOptionThatIsOutOfRange) {
  const auto message = [](const UdpOptions& options) {
    const auto made = UdpWire::make(options);
    return made ? std::string() : made.error().message;
  };
  UdpOptions options;
  options.addresses = {.first_port = 65'535, .ranks_per_host = 2};
  EXPECT_EQ(message(options), "2 ranks a host; from port 65535 on it must be 1 to 1");
  options.addresses = own_addresses();
  options.datagram_bytes = 65'505;
  EXPECT_EQ(message(options), "datagram_bytes is 65505; over UDP it must be 192 to 65504");
  options.datagram_bytes = 1'472;
  const auto first = wire_of(options, 0);
  EXPECT_EQ(message(options), "rank 0 can't have the address " + text_of(options.addresses.of(0)));
}

TEST(DatagramBytesBetween, LoopbackTakesTheLargestDatagram) {
  EXPECT_EQ(datagram_bytes_between(own_addresses(), 0, 1), 65'504U);
}

class UdpExchange : public testing::TestWithParam<std::tuple<Rank, std::uint32_t>> {};

TEST_P(UdpExchange, DeliversEveryMessageBetweenThreads) {
  const auto [procs, datagram_bytes] = GetParam();
  const UdpAddresses addresses = own_addresses();
  in_threads(procs, [&, procs = procs, bytes = datagram_bytes](Rank rank) {
    const auto wire = wire_of({.addresses = addresses, .datagram_bytes = bytes}, rank);
    TestProcess(*wire, {rank, key, rank, 0}, {}).exchange(procs, 300 / procs, 60'000);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, UdpExchange,
                         testing::Values(std::tuple{2, 65'504U}, std::tuple{2, 1'470U}, std::tuple{5, 8'192U},
                                         std::tuple{8, 1'470U}));

TEST(UdpWire, ExchangeDeliversEveryMessageIfTheReceiverHasOneBuffer) {
  const UdpAddresses addresses = own_addresses();
  in_processes(3, [&](Rank rank) {
    const auto wire = wire_of({.addresses = addresses, .datagram_bytes = 1'470, .receive_bytes = 1}, rank);
    TestProcess(*wire, {rank, key, rank, 0}, with_receive_buffers(1)).exchange(3, 60, 20'000);
  });
}

TEST(UdpWire, ExchangeDeliversEveryMessageIfTheKernelLacksBuffersAndSegmentation) {
  const UdpAddresses addresses = own_addresses();
  in_threads(3, [&](Rank rank) {
    FailingKernel kernel(rank + 1);
    const auto wire = wire_of({.addresses = addresses, .datagram_bytes = 1'470}, rank, kernel);
    TestProcess(*wire, {rank, key, rank, 0}, {}).exchange(3, 100, 20'000);
    const UdpStatistics statistics = wire->statistics();
    if (statistics.no_room == 0 || statistics.dropped == 0) throw std::runtime_error("the kernel never refused");
    if (statistics.segmentation) throw std::runtime_error("segments were never tried");
  });
}

TEST(UdpWire, DatagramsOfOtherJobsAreDropped) {
  const UdpAddresses addresses = own_addresses();
  const auto wire = wire_of({.addresses = addresses}, 0);
  const auto other = wire_of({.addresses = addresses}, 1);
  TestProcess process(*wire, {0, key, 0, 0}, {});
  TestProcess stranger(*other, {1, key + 1, 1, 0}, {});
  stranger.send(0, 0, 1'000);
  const Descriptor raw(socket(AF_INET, SOCK_DGRAM, 0));
  const sockaddr_in to = addresses.of(0);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::vector<char> noise(size, static_cast<char>(size));
    sendto(raw.number(), noise.data(), size, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
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
  const UdpAddresses addresses = own_addresses();
  stop_and_continue_a_receiver(
      [&](Rank rank) { return wire_of({.addresses = addresses, .datagram_bytes = 8'000}, rank); }, key);
}

TEST(UdpWire, KilledPeerIsReportedAsLost) {
  const UdpAddresses addresses = own_addresses();
  Child receiver([&] {
    const auto wire = wire_of({.addresses = addresses}, 1);
    TestProcess process(*wire, {1, key, 1, 0}, {});
    process.run([] { return false; });
  });
  const auto wire = wire_of({.addresses = addresses}, 0);
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
    UdpOptions options{.addresses = own_addresses()};
    options.datagram_bytes = need(datagram_bytes_between(options.addresses, 0, 1));
    if (options.datagram_bytes != 8'970) throw std::runtime_error("the MTU is not seen");
    std::atomic<bool> shrunk = false;
    in_threads(2, [&](Rank rank) {
      const auto wire = wire_of(options, rank);
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
