// What a datagram costs its receiver and the network, wanted or not (decision 35).

#include <gtest/gtest.h>

#include "ayatori/simulated/reliable_connections.hpp"

namespace ayatori::simulated {
namespace {

using namespace std::chrono_literals;

/// Without what is random, and with nothing that is waited for but the parts of a message.
Scenario quiet() {
  Scenario scenario;
  scenario.jitter = Duration(0);
  scenario.gigabytes_per_second = 0;
  return scenario;
}

TEST(ReceiveTime, GrowsWithTheMessageAndWithBuffersThatLeaveTheCache) {
  Scenario scenario = quiet();
  EXPECT_EQ(receive_time(scenario, 2000), scenario.receive_cost);
  scenario.copy_gigabytes_per_second = 2;
  EXPECT_EQ(receive_time(scenario, 2000), scenario.receive_cost + 1000ns);
  scenario.cold_buffer_cost = 400ns;
  scenario.cached_buffers = 100;
  scenario.receive_buffers = 100;
  EXPECT_EQ(receive_time(scenario, 2000), scenario.receive_cost + 1000ns);
  scenario.receive_buffers = 400;
  EXPECT_EQ(receive_time(scenario, 2000), scenario.receive_cost + 1300ns);
}

TEST(ReceiveTime, IsPartOfAMessageInBothProtocols) {
  Scenario scenario = quiet();
  scenario.copy_gigabytes_per_second = 1;
  const Incast incast{.clients = 1, .messages = 50, .queued = 1, .bytes = 1000};
  const Duration without = scenario.send_cost + scenario.latency + scenario.receive_cost;
  EXPECT_EQ(run_reliable_connections(incast, scenario, 640us).latency.median, without + 1000ns);
  const Duration datagram = run_incast(incast, scenario, transport::stop_and_wait(1ms)).latency.median - without;
  EXPECT_GT(datagram, 1000ns);
  EXPECT_LT(datagram, 1100ns);
}

TEST(FewerBuffers, AreFasterInBothProtocols) {
  Scenario scenario;
  scenario.cold_buffer_cost = 400ns;
  const Incast incast{.messages = 200, .queued = 1};
  const auto rates = [&](std::uint32_t buffers) {
    scenario.receive_buffers = buffers;
    return std::pair(run_incast(incast, scenario, transport::stop_and_wait(1ms)).steady_messages_per_second,
                     run_reliable_connections(incast, scenario, 640us).steady_messages_per_second);
  };
  const auto [few_ud, few_rc] = rates(64);
  const auto [many_ud, many_rc] = rates(10'000);
  EXPECT_GT(few_ud, 1.1 * many_ud);
  EXPECT_GT(few_rc, 1.1 * many_rc);
}

IncastResult many_copies(const Scenario& scenario) {
  return run_incast({.messages = 20, .queued = 1, .bytes = 8}, scenario, transport::stop_and_wait(1us));
}

TEST(AdapterCost, IsTakenByEveryCopyThatArrives) {
  Scenario scenario;
  scenario.receive_buffers = 1;
  scenario.adapter_cost = 500ns;
  const IncastResult result = many_copies(scenario);
  ASSERT_TRUE(result.complete);
  EXPECT_GT(result.overflowed, result.delivered);
  const double seconds = static_cast<double>(result.delivered) / result.messages_per_second;
  EXPECT_LE(static_cast<double>(result.delivered + result.overflowed) / seconds, 1e9 / 500);
}

TEST(FabricBytes, AreFilledByCopiesThatArriveAfterTheirMessage) {
  Scenario scenario;
  scenario.receive_buffers = 1;
  scenario.adapter_cost = 500ns;
  const IncastResult waiting = many_copies(scenario);
  scenario.fabric_bytes = 4096;
  const IncastResult held = many_copies(scenario);
  ASSERT_TRUE(held.complete);
  EXPECT_GT(held.retransmissions, 2 * waiting.retransmissions);
  EXPECT_GT(held.duplicates, 2 * waiting.duplicates);
  EXPECT_LT(2 * held.messages_per_second, waiting.messages_per_second);
}

TEST(Scenario, CostsOutOfRangeAreRefused) {
  Scenario scenario;
  scenario.adapter_cost = -1ns;
  EXPECT_EQ(check(scenario).error().message, "adapter_cost is -1 ns; it can't be less than 0");
  scenario = {};
  scenario.cold_buffer_cost = -1ns;
  EXPECT_FALSE(check(scenario));
  scenario = {};
  scenario.copy_gigabytes_per_second = -2;
  EXPECT_FALSE(check(scenario));
}

}  // namespace
}  // namespace ayatori::simulated
