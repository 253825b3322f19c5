// Copies and atomics by simulated adapters, within a budget of connections.

#include "connections.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "onesided_fixtures.hpp"

namespace ayatori::onesided {
namespace {

constexpr std::size_t words = 64;

class ReliableConnections : public testing::Test {
 protected:
  static Settings with_connections(std::uint32_t connections) {
    Settings settings;
    settings.connections = connections;
    settings.adapter_atomics = true;
    return settings;
  }

  /// Runs until `self` has nothing under way. Returns what failed.
  static std::optional<Error> finish(Processes& processes, Rank self) {
    EXPECT_TRUE(processes.run_until([&] { return processes[self].idle(); }));
    return processes[self].take_failure(processes[self].latest());
  }

  static void put(Processes& processes, Rank self, Rank to) {
    need(processes[self].copy(processes.now(), processes.address(to, 64), processes.address(self, 256), 64, 0));
  }
  static void add(Processes& processes, Rank self, Rank to, std::uint64_t amount) {
    need(processes[self].apply(
        processes.now(), {.dst = processes.address(self, 8), .src = processes.address(to, 0), .operand = amount}, 0));
  }

  /// After that the connection is there, and the keys are known.
  static void warm_up(Processes& processes, Rank self, Rank to) {
    for (int i = 0; i < 4; ++i) {
      put(processes, self, to);
      add(processes, self, to, 0);
      EXPECT_FALSE(finish(processes, self));
    }
  }
};

TEST_F(ReliableConnections, CarryOutCopiesAndAtomicsWithoutThePeersProcess) {
  Fabric fabric;
  Processes processes({}, 2, words, with_connections(1), &fabric);
  warm_up(processes, 0, 1);
  processes.memory(0)[32] = 7;
  processes.memory(1)[0] = 40;
  processes.memory(1)[20] = 9;
  put(processes, 0, 1);
  need(processes[0].copy(processes.now(), processes.address(0, 400), processes.address(1, 160), 8, 0));
  add(processes, 0, 1, 2);
  for (int i = 0; i < 10; ++i) (void)processes[0].progress(processes.now());  // and nobody else's
  EXPECT_TRUE(processes[0].idle());
  EXPECT_EQ(processes.memory(1)[8], 7U);
  EXPECT_EQ(processes.memory(0)[50], 9U);
  EXPECT_EQ(processes.memory(1)[0], 42U);
  EXPECT_EQ(processes.memory(0)[1], 40U);
}

TEST_F(ReliableConnections, AreAtMostAsManyAsTheBudgetOfEitherSideAllows) {
  for (const std::uint32_t budget : {0U, 1U, 2U}) {
    SCOPED_TRACE(fmt::format("budget {}", budget));
    Fabric fabric;
    Processes processes({}, 5, words, with_connections(budget), &fabric);
    for (int round = 0; round < 5; ++round) {
      for (Rank self = 0; self < 5; ++self) {
        for (Rank to = 0; to < 5; ++to) {
          put(processes, self, to);
          add(processes, self, to, 1);
        }
        ASSERT_FALSE(finish(processes, self));
      }
    }
    for (Rank rank = 0; rank < 5; ++rank) {
      EXPECT_LE(fabric.adapter(rank).connections(), budget);
      EXPECT_EQ(processes.memory(rank)[0], 25U);
    }
    EXPECT_EQ(fabric.changes > 0, budget > 0);
  }
}

TEST_F(ReliableConnections, LeaveAtomicsToThePeerIfItsProcessorMayChangeTheSameWords) {
  Settings settings = with_connections(4);
  settings.adapter_atomics = false;
  for (const auto& [atomics, by_adapter] : {std::pair{transport::Rdma::Atomics::none, false},
                                            {transport::Rdma::Atomics::among_themselves, false},
                                            {transport::Rdma::Atomics::with_processor, true}}) {
    Fabric fabric(atomics);
    Processes processes({}, 2, words, settings, &fabric);
    warm_up(processes, 0, 1);
    EXPECT_GT(fabric.copies, 0U);
    EXPECT_EQ(fabric.changes > 0, by_adapter);
  }
}

/// By adapters, by calls, and by the owner itself; of 8 bytes and of the 4 in their middle of the same words.
TEST_F(ReliableConnections, KeepAllKindsOfAtomicsAtomic) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    constexpr Rank count = 6;
    constexpr std::uint32_t adds = 200;
    Fabric fabric;
    Settings settings = narrow_settings(seed);
    settings.connections = 2;
    settings.adapter_atomics = true;
    Processes processes(bad_network(seed), count, words, settings, &fabric);
    std::vector<std::uint32_t> started(count);
    ASSERT_TRUE(processes.run_until([&] {
      bool done = true;
      for (Rank self = 0; self < count; ++self) {
        for (; started[self] < adds && !processes[self].full(); ++started[self]) {
          const bool half = started[self] % 3 == 0;
          const std::uint8_t size = half ? 4 : 8;
          need(processes[self].apply(processes.now(),
                                     {.size = size,
                                      .dst = processes.address(self, 8),
                                      .src = processes.address(0, half ? 4 : 0),
                                      .operand = 1},
                                     0));
        }
        done = done && started[self] == adds && processes[self].idle();
      }
      return done;
    }));
    EXPECT_GT(fabric.changes, adds);
    EXPECT_EQ(processes.memory(0)[0], count * 133ULL + (count * 67ULL << 32));
  }
}

TEST_F(ReliableConnections, AskAgainForMemoryThatIsRegisteredAnew) {
  Fabric fabric;
  Processes processes({}, 2, words, with_connections(1), &fabric);
  warm_up(processes, 0, 1);
  std::vector<std::uint64_t> other(words);
  ASSERT_TRUE(processes[1].memory().remove(processes.key(1)));
  (void)need(processes[1].memory().add(reinterpret_cast<std::byte*>(other.data()), words * 8));
  processes.memory(0)[32] = 7;
  const std::uint64_t copies = fabric.copies;
  put(processes, 0, 1);
  add(processes, 0, 1, 3);
  add(processes, 0, 1, 4);
  EXPECT_FALSE(finish(processes, 0));
  EXPECT_EQ(other[8], 7U);
  EXPECT_EQ(other[0], 7U);
  warm_up(processes, 0, 1);
  EXPECT_GT(fabric.copies, copies);
}

TEST_F(ReliableConnections, ReportMemoryThatIsGone) {
  Fabric fabric;
  Processes processes({}, 2, words, with_connections(1), &fabric);
  warm_up(processes, 0, 1);
  ASSERT_TRUE(processes[1].memory().remove(processes.key(1)));
  put(processes, 0, 1);
  const auto copied = finish(processes, 0);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->code, EFAULT);
  add(processes, 0, 1, 3);
  const auto added = finish(processes, 0);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->code, EFAULT);
}

TEST_F(ReliableConnections, ReportAPeerThatIsLost) {
  Fabric fabric;
  Settings settings = with_connections(1);
  settings.endpoint.give_up_after = std::chrono::seconds(2);
  Processes processes({}, 3, words, settings, &fabric);
  warm_up(processes, 0, 1);
  processes.network().detach(1);
  fabric.silent.insert(1);
  put(processes, 0, 1);
  add(processes, 0, 1, 1);
  const auto failure = finish(processes, 0);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, EHOSTDOWN);
  EXPECT_EQ(fabric.adapter(0).connections(), 0U);
  warm_up(processes, 0, 2);  // which gets the room
  EXPECT_EQ(fabric.adapter(0).connections(), 1U);
}

}  // namespace
}  // namespace ayatori::onesided
