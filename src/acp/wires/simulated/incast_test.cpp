// Paper 5, section 5.3: what a fixed timer does to 31 clients and a server with one buffer, and what we do instead.

#include "ayatori/simulated/incast.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "ayatori/simulated/peers.hpp"

namespace ayatori::simulated {
namespace {

using namespace std::chrono_literals;

Scenario one_buffer() {
  Scenario scenario;
  scenario.receive_buffers = 1;
  return scenario;
}

std::map<Duration, IncastResult> sweep(const Incast& incast, const Scenario& scenario,
                                       std::initializer_list<Duration> timers) {
  std::map<Duration, IncastResult> results;
  for (const Duration timeout : timers)
    results[timeout] = run_incast(incast, scenario, transport::stop_and_wait(timeout));
  return results;
}

TEST(PaperProtocol, DuplicatesAndRetransmissionsHaveTheShapeOfTable2) {
  const Incast incast{.messages = 150, .bytes = 2048};
  const auto results = sweep(incast, one_buffer(), {10us, 100us, 1ms, 10ms});
  for (const auto& [timeout, result] : results) {
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.delivered, 31U * incast.messages);
    if (timeout >= 100us) {
      EXPECT_EQ(result.duplicates, 0U) << timeout.count();
    }
  }
  EXPECT_GT(results.at(10us).duplicates, results.at(10us).delivered / 10);
  EXPECT_GT(results.at(10us).retransmissions, results.at(100us).retransmissions);
  EXPECT_GT(results.at(100us).retransmissions, results.at(1ms).retransmissions);
  EXPECT_GT(results.at(1ms).retransmissions, results.at(10ms).retransmissions);
  // Section 5.3: the best timer is the shortest that makes no duplicates.
  for (const auto& [timeout, result] : results) {
    if (timeout == 100us) continue;
    EXPECT_GT(results.at(100us).messages_per_second, result.messages_per_second) << timeout.count();
  }
}

/// With AYATORI_SOAK set: ten seeds, all timers and longer runs, for when nobody waits.
std::uint64_t soak_seeds() { return std::getenv("AYATORI_SOAK") ? 10 : 0; }

bool few_duplicates(const IncastResult& result) { return result.duplicates * 1000 <= result.delivered; }

/// Of the timers that make few duplicates: with longer ones than 100 us it only takes longer.
double best_fixed(const Incast& incast, const Scenario& scenario) {
  const auto results =
      soak_seeds() > 0 ? sweep(incast, scenario, {10us, 100us, 1ms, 10ms}) : sweep(incast, scenario, {10us, 100us});
  double best = 0;
  for (const auto& [timeout, result] : results) {
    if (few_duplicates(result)) best = std::max(best, result.steady_messages_per_second);
  }
  return best;
}

/// The endpoints know only by the server's own options that it has one buffer. Compared are the steady
/// rates, and no packet has more than one message: how many clients are late at the end differs from seed to seed, for
/// fixed timers too. bench/tasks/simulated_incast has whole runs, of many seeds.
TEST(AdaptiveWithAdmission, SteadyRateIsAtLeastThatOfTheBestFixedTimer) {
  transport::Options options;
  options.receive_buffers = 1;
  options.coalesce = false;
  for (std::uint64_t seed = 1; seed <= std::max(soak_seeds(), std::uint64_t{1}); ++seed) {
    for (const std::uint32_t bytes : {8, 2048}) {
      const Incast incast{.messages = soak_seeds() > 0 ? 1000U : 150U, .bytes = bytes};
      Scenario scenario = one_buffer();
      scenario.seed = seed;
      const IncastResult ours = run_incast(incast, scenario, options);
      EXPECT_TRUE(ours.complete);
      EXPECT_GE(ours.steady_messages_per_second, best_fixed(incast, scenario)) << bytes << " bytes, seed " << seed;
      EXPECT_TRUE(few_duplicates(ours)) << bytes << " bytes, seed " << seed << ": " << ours.duplicates;
    }
  }
}

/// Clients wait for grants only while there are more of them than places.
TEST(AdaptiveWithAdmission, ManyClientsGetFairShares) {
  transport::Options options;
  options.receive_buffers = 1;
  options.coalesce = false;
  const IncastResult result = run_incast({.clients = 100, .messages = 60}, one_buffer(), options);
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.fairness, 0.8);
}

TEST(AdaptiveWithAdmission, NoDuplicatesWhereBuffersSuffice) {
  transport::Options options;
  Scenario scenario;
  const IncastResult result = run_incast({.messages = 100}, scenario, options);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.overflowed, 0U);
  EXPECT_LE(result.duplicates * 1000, result.delivered);
}

/// Of few clients none waits: the gate opens, and with the next loss closes again.
TEST(AdaptiveWithAdmission, FewDuplicatesWhileRationingStartsAndStops) {
  for (const std::uint32_t clients : {2U, 4U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      transport::Options options;
      options.receive_buffers = 1;
      options.coalesce = false;
      Scenario scenario;
      scenario.seed = seed;
      scenario.receive_buffers = 1;
      const IncastResult result = run_incast({.clients = clients, .messages = 2000}, scenario, options);
      EXPECT_TRUE(result.complete);
      EXPECT_TRUE(few_duplicates(result)) << clients << " clients, seed " << seed << ": " << result.duplicates;
    }
  }
}

TEST(Incast, LatencyAndFairnessAreThoseOfTheModel) {
  Scenario scenario;
  scenario.jitter = Duration(0);
  scenario.gigabytes_per_second = 0;
  // One client that waits for each acknowledgement: a message takes what its parts take.
  const IncastResult one =
      run_incast({.clients = 1, .messages = 50, .queued = 1}, scenario, transport::stop_and_wait(1ms));
  EXPECT_EQ(one.latency.median, scenario.send_cost + scenario.latency + scenario.receive_cost);
  EXPECT_EQ(one.latency.longest, one.latency.median);
  EXPECT_DOUBLE_EQ(one.fairness, 1);
  // Of alternating clients, each has its share; one that is out for half of the time has less.
  const IncastResult all = run_incast({.clients = 8, .messages = 200}, scenario, transport::stop_and_wait(1ms));
  EXPECT_GT(all.fairness, 0.999);
  const Duration half =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(800 / all.messages_per_second));
  scenario.black_holes.push_back({.peer = 3, .from = Time{}, .until = Time(half)});
  EXPECT_LT(run_incast({.clients = 8, .messages = 200}, scenario, transport::stop_and_wait(1ms)).fairness,
            all.fairness);
}

TEST(Incast, OneMessageHasALatencyAndNoRate) {
  const IncastResult result = run_incast({.clients = 1, .messages = 1}, {}, transport::stop_and_wait(1ms));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.steady_messages_per_second, 0);
  EXPECT_GT(result.latency.median.count(), 0);
}

TEST(ManyPeers, EveryPeerGreetsAndIsGreetedOnceThroughFewContexts) {
  Scenario scenario;
  scenario.drop = 0.05;
  scenario.duplicate = 0.05;
  scenario.jitter = 20us;
  const ManyPeersResult result = run_many_peers({.count = 3000, .at_once = 64, .contexts = 16}, scenario);
  EXPECT_EQ(result.to_peers, 3000U);
  EXPECT_EQ(result.from_peers, 3000U);
  EXPECT_EQ(result.wrong, 0U);
}

}  // namespace
}  // namespace ayatori::simulated
