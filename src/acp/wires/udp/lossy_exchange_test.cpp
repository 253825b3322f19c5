// Four processes over UDP sockets in a network namespace whose loopback drops and duplicates packets: nothing may be
// lost or come twice. How many copies and timeouts that takes depends on the machine, which may stand still at any
// time: the simulated network counts them, and bench/tasks/lossy measures them.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/loopback_ranks_fixtures.hpp"
#include "ayatori/fixtures/lossy_loopback_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/udp/udp_wire.hpp"

namespace ayatori::wires {
namespace {

constexpr Rank procs = 4;
constexpr std::uint32_t messages = 40;  // of each process to each other one
constexpr std::size_t max_bytes = 300'000;
constexpr int skipped = 77;

/// What the processes have counted, in memory that they share.
struct Counted {
  std::atomic<std::uint64_t> delivered = 0;
  std::atomic<std::uint64_t> packets = 0;
  std::atomic<std::uint64_t> again = 0;
  std::atomic<std::uint64_t> duplicates = 0;
  std::atomic<std::uint64_t> asks = 0;
};

Counted& shared_counts() {
  void* memory = mmap(nullptr, sizeof(Counted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory");
  return *new (memory) Counted();
}

void exchange(Rank rank, Counted& counted) {
  const auto wire = LoopbackRanks{127U << 24 | 1}.wire(rank);
  TestProcess process(*wire, {rank, 0x5eed, rank, 0}, {});
  process.exchange(procs, messages, max_bytes);
  const Statistics& seen = process.endpoint().statistics();
  counted.delivered += process.delivered;
  counted.packets += seen.data_packets;
  counted.again += seen.retransmissions;
  counted.duplicates += seen.duplicates;
  counted.asks += seen.asks;
}

class LossyLoopback : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LossyLoopback, EveryMessageArrivesOnce) {
  const std::uint32_t percent = GetParam();
  Counted& counted = shared_counts();
  Child host([&] {
    if (const auto missing = enter_lossy_namespace(percent, percent)) {
      fmt::print("{}\n", *missing);
      _exit(skipped);
    }
    in_processes(procs, [&](Rank rank) { exchange(rank, counted); });
    if (testing::Test::HasFailure()) throw std::runtime_error("messages are missing");
  });
  const int code = host.wait();
  if (code == skipped) GTEST_SKIP() << "needs network namespaces and nft";
  ASSERT_EQ(code, 0);
  EXPECT_EQ(counted.delivered, std::uint64_t{procs} * (procs - 1) * messages);
  if (percent >= 5) {  // of a few hundred packets
    EXPECT_GT(counted.again, 0U) << "nothing was dropped";
    EXPECT_GT(counted.duplicates, 0U) << "nothing came twice";
  }
  fmt::print("{} packets; {} sent again, {} came twice, {} asks\n", counted.packets.load(), counted.again.load(),
             counted.duplicates.load(), counted.asks.load());
}

INSTANTIATE_TEST_SUITE_P(Percent, LossyLoopback, testing::Values(0U, 1U, 5U, 20U));

}  // namespace
}  // namespace ayatori::wires
