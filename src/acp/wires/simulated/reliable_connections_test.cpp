// Paper 5, section 5.3: reliable connections with a shared receive queue compared with the paper's own protocol.

#include "ayatori/simulated/reliable_connections.hpp"

#include <gtest/gtest.h>

namespace ayatori::simulated {
namespace {

using namespace std::chrono_literals;

constexpr Duration not_ready_delay = 640us;

Scenario with_buffers(std::uint32_t buffers) {
  Scenario scenario;
  scenario.receive_buffers = buffers;
  return scenario;
}

TEST(ReliableConnections, EveryMessageIsDelivered) {
  for (const std::uint32_t buffers : {1, 2, 10, 100}) {
    const IncastResult result = run_reliable_connections({.messages = 200}, with_buffers(buffers), not_ready_delay);
    EXPECT_TRUE(result.complete) << buffers;
    EXPECT_EQ(result.delivered, 31U * 200U);
    EXPECT_EQ(result.data_packets, 31U * 200U);
    EXPECT_EQ(result.duplicates, 0U);
    EXPECT_GE(result.latency.longest, result.latency.p999);
    EXPECT_GE(result.latency.p99, result.latency.median);
  }
}

/// One client: nothing to wait for, and the time of a message is the sum of its parts.
TEST(ReliableConnections, OneMessageTakesTheTimeOfItsParts) {
  Scenario scenario = with_buffers(1);
  scenario.jitter = Duration(0);
  scenario.gigabytes_per_second = 0;
  const IncastResult result = run_reliable_connections({.clients = 1, .messages = 100}, scenario, not_ready_delay);
  EXPECT_EQ(result.latency.median, scenario.send_cost + scenario.latency + scenario.receive_cost);
  EXPECT_EQ(result.latency.longest, result.latency.median);
  EXPECT_DOUBLE_EQ(result.fairness, 1);
}

TEST(ReliableConnections, FasterThanDatagramsWhereBuffersSuffice) {
  const Incast incast{.messages = 300, .queued = 1};
  const Scenario scenario = with_buffers(1000);
  const double theirs = run_reliable_connections(incast, scenario, not_ready_delay).steady_messages_per_second;
  const double papers = run_incast(incast, scenario, transport::stop_and_wait(10ms)).steady_messages_per_second;
  EXPECT_GT(theirs, papers * 1.3);
}

TEST(ReliableConnections, SlowerThanDatagramsWithOneBuffer) {
  const Incast incast{.messages = 300, .queued = 1};
  const double plenty =
      run_reliable_connections(incast, with_buffers(1000), not_ready_delay).steady_messages_per_second;
  const IncastResult one = run_reliable_connections(incast, with_buffers(1), not_ready_delay);
  const double papers = run_incast(incast, with_buffers(1), transport::stop_and_wait(100us)).steady_messages_per_second;
  EXPECT_GT(one.retransmissions, 0U);
  EXPECT_LT(one.steady_messages_per_second * 2, plenty);
  EXPECT_LT(one.steady_messages_per_second, papers);
}

/// With one buffer some client finds none several times in a row.
TEST(ReliableConnections, BreakWhereTheLimitOfRetriesIsReached) {
  Scenario scenario = with_buffers(1);
  for (const std::uint32_t limit : {0U, 1U, 2U, 3U}) {
    scenario.rnr_retry = limit;
    const IncastResult result = run_reliable_connections({.messages = 300}, scenario, not_ready_delay);
    EXPECT_FALSE(result.complete) << limit;
    EXPECT_GT(result.broken, 0U) << limit;
    EXPECT_LT(result.broken, 31U) << limit << ": the last one has the buffer to itself";
    EXPECT_GE(result.delivered, (31U - result.broken) * 300U);
    EXPECT_LT(result.delivered, 31U * 300U);
    EXPECT_LE(result.overflowed, result.data_packets * (limit + 1)) << "no message is sent again more often";
  }
  scenario.rnr_retry = rnr_without_limit;
  EXPECT_EQ(run_reliable_connections({.messages = 300}, scenario, not_ready_delay).broken, 0U);
}

TEST(ReliableConnections, LimitThatNobodyReachesChangesNothing) {
  Scenario limited = with_buffers(1000);
  limited.rnr_retry = 6;
  const Incast incast{.messages = 20};  // fewer than there are buffers
  const IncastResult with = run_reliable_connections(incast, limited, not_ready_delay);
  const IncastResult without = run_reliable_connections(incast, with_buffers(1000), not_ready_delay);
  EXPECT_TRUE(with.complete);
  EXPECT_EQ(with.retransmissions, 0U);
  EXPECT_EQ(with.messages_per_second, without.messages_per_second);
}

/// Losses of messages and of answers: the interface's timer sends again, and each message is handled once.
TEST(ReliableConnections, LossesAreRecoveredByTheTimer) {
  Scenario scenario = with_buffers(10);
  scenario.drop = 0.05;
  scenario.retry_timeout = 1ms;
  scenario.retry_count = max_retries;
  for (scenario.seed = 1; scenario.seed <= 5; ++scenario.seed) {
    const IncastResult result = run_reliable_connections({.messages = 100}, scenario, not_ready_delay);
    EXPECT_GT(result.retransmissions, result.overflowed);
    EXPECT_EQ(result.broken, 0U) << "eight losses in a row";
    EXPECT_TRUE(result.complete) << scenario.seed;
    EXPECT_EQ(result.delivered, 31U * 100U) << scenario.seed;
  }
}

TEST(ReliableConnections, BreakWhereNothingIsAnswered) {
  Scenario scenario = with_buffers(10);
  scenario.drop = 1;
  scenario.retry_count = 3;
  const IncastResult result = run_reliable_connections({.messages = 100}, scenario, not_ready_delay);
  EXPECT_EQ(result.broken, 31U);
  EXPECT_EQ(result.delivered, 0U);
  EXPECT_EQ(result.retransmissions, 31U * 3U);
}

}  // namespace
}  // namespace ayatori::simulated
