#include "ayatori/carriers/memory_carrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <thread>

#include "ayatori/base/random.hpp"
#include "ayatori/carriers/combined_carrier.hpp"
#include "buffer_fixtures.hpp"
#include "carrier_fixtures.hpp"
#include "memory_fixtures.hpp"

namespace ayatori {
namespace {

/// Until both ends have completed so many messages.
void progress_until(std::array<Carrier*, 2> carriers, std::array<std::size_t, 2> counts) {
  std::array<std::size_t, 2> done{};
  for (int round = 0; round < 100'000 && done != counts; ++round) {
    for (std::size_t i = 0; i < 2; ++i) done[i] += test_all(*carriers[i]).size();
  }
  ASSERT_EQ(done, counts);
}

TEST(MemoryCarrier, CompletesASmallSendBeforeItsReceiveIsPosted) {
  MemoryNetwork network(2);
  const Buffer sent = filled(1000, 1);
  ASSERT_TRUE(network.carrier(0).post_send(5, sent.message(1)));
  EXPECT_EQ(test_all(network.carrier(0)), std::vector<RequestId>{5});
}

TEST(MemoryCarrier, ReceivesIntoOtherPiecesThanWereSent) {
  for (const bool read_peers : {true, false}) {
    for (const std::size_t size : {0UL, 1UL, 40UL, 41UL, 232UL, 233UL, 4096UL, 32768UL, 32769UL, 300'001UL}) {
      MemoryNetwork network(2, {.while_waiting = nullptr, .eager_limit = 32768, .read_peers = read_peers});
      const Buffer sent = filled(size, 1, size < 3 ? 1 : 3);
      const Buffer received(size, size < 7 ? 1 : 7);
      ASSERT_TRUE(network.carrier(1).post_receive(0, received.message(0)));
      ASSERT_TRUE(network.carrier(0).post_send(0, sent.message(1)));
      progress_until({&network.carrier(0), &network.carrier(1)}, {1, 1});
      EXPECT_EQ(received.bytes, sent.bytes) << size << " bytes";
    }
  }
}

/// More pieces than fit into the list of a rendezvous message.
TEST(MemoryCarrier, SendsMessagesOfVeryManyPieces) {
  MemoryNetwork network(2);
  const Buffer sent = filled(60'000, 1, 10'000);
  const Buffer received(60'000, 3000);
  ASSERT_TRUE(network.carrier(1).post_receive(0, received.message(0)));
  ASSERT_TRUE(network.carrier(0).post_send(0, sent.message(1)));
  progress_until({&network.carrier(0), &network.carrier(1)}, {1, 1});
  EXPECT_EQ(received.bytes, sent.bytes);
}

/// Those who receive the same contents get fragments together, but nobody waits for ever for one who does not receive.
TEST(MemoryCarrier, SendsToOneReceiverWhileAnotherOfTheSameContentsIsNotThere) {
  MemoryNetwork network(4);
  const Buffer sent = filled(700'000, 1);
  for (Rank peer = 1; peer < 4; ++peer) ASSERT_TRUE(network.carrier(0).post_send(peer, sent.message(peer)));
  std::vector<Buffer> received;
  for (int i = 0; i < 3; ++i) received.emplace_back(700'000);
  ASSERT_TRUE(network.carrier(1).post_receive(0, received[0].message(0)));
  ASSERT_TRUE(network.carrier(2).post_receive(0, received[1].message(0)));
  std::size_t done = 0;
  // Rank 2 stops in the middle.
  for (int round = 0; round < 20'000; ++round) {
    static_cast<void>(test_all(network.carrier(0)));
    done += test_all(network.carrier(1)).size();
    if (round == 1010) static_cast<void>(test_all(network.carrier(2)));
  }
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(received[0].bytes, sent.bytes);
  ASSERT_TRUE(network.carrier(3).post_receive(0, received[2].message(0)));
  std::size_t late = 0;
  for (int round = 0; round < 20'000 && late < 2; ++round) {
    static_cast<void>(test_all(network.carrier(0)));
    late += test_all(network.carrier(2)).size() + test_all(network.carrier(3)).size();
  }
  EXPECT_EQ(late, 2U);
  EXPECT_EQ(received[1].bytes, sent.bytes);
  EXPECT_EQ(received[2].bytes, sent.bytes);
}

TEST(MemoryCarrier, MatchesOnlyWithinAContextAndAStream) {
  const auto segment = NodeSegment::create(2).value();
  const auto first = NodeMemory::make(segment, 0).value();
  const auto second = NodeMemory::make(segment, 1).value();
  MemoryCarrier send_a(*first, all_on_one_node(2), 1);
  MemoryCarrier send_b(*first, all_on_one_node(2), 2);
  MemoryCarrier receive_a(*second, all_on_one_node(2), 1);
  MemoryCarrier receive_b(*second, all_on_one_node(2), 2);
  for (const std::size_t size : {8UL, 3000UL, 200'000UL}) {
    const Buffer a0 = filled(size, 10), a1 = filled(size, 11), b0 = filled(size, 12), b1 = filled(size, 13);
    ASSERT_TRUE(send_a.post_send(0, a0.message(1, 0)));
    ASSERT_TRUE(send_a.post_send(1, a1.message(1, 1)));
    ASSERT_TRUE(send_b.post_send(0, b0.message(1, 0)));
    ASSERT_TRUE(send_b.post_send(1, b1.message(1, 1)));
    const Buffer in_a0(size), in_a1(size), in_b0(size), in_b1(size);
    ASSERT_TRUE(receive_b.post_receive(1, in_b1.message(0, 1)));
    progress_until({&send_b, &receive_b}, {size > 131'072 ? 1UL : 2UL, 1});
    ASSERT_TRUE(receive_a.post_receive(1, in_a1.message(0, 1)));
    ASSERT_TRUE(receive_a.post_receive(0, in_a0.message(0, 0)));
    ASSERT_TRUE(receive_b.post_receive(0, in_b0.message(0, 0)));
    progress_until({&send_a, &receive_a}, {2, 2});
    progress_until({&send_b, &receive_b}, {size > 131'072 ? 1UL : 0UL, 1});
    EXPECT_EQ(in_a0.bytes, a0.bytes);
    EXPECT_EQ(in_a1.bytes, a1.bytes);
    EXPECT_EQ(in_b0.bytes, b0.bytes);
    EXPECT_EQ(in_b1.bytes, b1.bytes);
  }
}

/// The contents of memory that is sent to several peers are shared only as long as they can't have changed.
TEST(MemoryCarrier, SendsWhatTheMemoryHeldWhenItWasPosted) {
  MemoryNetwork network(3);
  Buffer sent(500);
  for (std::uint8_t round = 0; round < 3; ++round) {
    std::ranges::fill(sent.bytes, std::byte{round});
    ASSERT_TRUE(network.carrier(0).post_send(0, sent.message(1)));
    ASSERT_TRUE(network.carrier(0).post_send(1, sent.message(2)));
    EXPECT_EQ(test_all(network.carrier(0)).size(), 2U);
  }
  for (std::uint8_t round = 0; round < 3; ++round) {
    for (Rank self = 1; self < 3; ++self) {
      const Buffer in(500);
      ASSERT_TRUE(network.carrier(self).post_receive(0, in.message(0)));
      EXPECT_EQ(test_all(network.carrier(self)).size(), 1U);
      EXPECT_EQ(in.bytes, std::vector(500, std::byte{round}));
    }
  }
}

TEST(MemoryCarrier, ReportsMessagesWhoseEndsDifferInSize) {
  for (const std::size_t size : {8UL, 1000UL, 100'000UL}) {
    MemoryNetwork network(2);
    const Buffer sent(size), received(size + 1);
    ASSERT_TRUE(network.carrier(0).post_send(0, sent.message(1)));
    ASSERT_TRUE(network.carrier(1).post_receive(0, received.message(0)));
    std::array<RequestId, 1> completed{};
    EXPECT_FALSE(network.carrier(1).wait_some(completed));
  }
}

TEST(MemoryCarrier, RefusesPeersOfOtherNodes) {
  const auto segment = NodeSegment::create(2).value();
  const auto memory = NodeMemory::make(segment, 0).value();
  const NodeParticipant participants[] = {{7, 1}, {4, 0}};
  MemoryCarrier carrier(*memory, participants, 0);
  EXPECT_TRUE(carrier.reaches(7));
  EXPECT_TRUE(carrier.reaches(4));
  for (const Rank elsewhere : {0U, 1U, 5U, 8U}) {
    EXPECT_FALSE(carrier.reaches(elsewhere));
    EXPECT_FALSE(carrier.post_send(0, {elsewhere, 0, 0, {}}));
    EXPECT_FALSE(carrier.post_receive(0, {elsewhere, 0, 0, {}}));
  }
}

TEST(MemoryCarrier, ReportsAPeerThatHasEnded) {
  const auto segment = NodeSegment::create(2).value();
  const pid_t child = start_process([&] { return NodeMemory::make(segment, 1) ? 0 : 1; });
  MemoryEnd end(segment, 0);
  const Buffer received(8);
  ASSERT_TRUE(end.carrier.post_receive(0, received.message(1)));
  std::array<RequestId, 1> completed{};
  const auto waited = end.carrier.wait_some(completed);
  ASSERT_FALSE(waited);
  EXPECT_NE(waited.error().message.find("has ended"), std::string::npos) << waited.error().message;
  EXPECT_EQ(status_of(child), 0);
}

/// What was sent before is still there.
TEST(MemoryCarrier, ReceivesWhatAPeerSentBeforeItEnded) {
  const auto segment = NodeSegment::create(2).value();
  const pid_t child = start_process([&] {
    MemoryEnd end(segment, 1);
    const Buffer sent(2000, 1, std::byte{9});
    return end.carrier.post_send(0, sent.message(0)) ? 0 : 1;
  });
  EXPECT_EQ(status_of(child), 0);
  MemoryEnd end(segment, 0);
  const Buffer received(2000);
  ASSERT_TRUE(end.carrier.post_receive(0, received.message(1)));
  std::array<RequestId, 1> completed{};
  ASSERT_TRUE(end.carrier.wait_some(completed));
  EXPECT_EQ(received.bytes, std::vector(2000, std::byte{9}));
}

TEST(MemoryCarrier, CallsWhoeverMustAnswerOthersWhileItWaits) {
  MemoryNetwork network(2);
  const auto segment = NodeSegment::create(2).value();
  MemoryEnd other(segment, 1);
  const Buffer sent(8, 1, std::byte{3}), received(8);
  int calls = 0;
  MemoryEnd end(segment, 0, {.while_waiting = [&] {
                  if (++calls == 10) static_cast<void>(other.carrier.post_send(0, sent.message(0)));
                }});
  ASSERT_TRUE(end.carrier.post_receive(0, received.message(1)));
  std::array<RequestId, 1> completed{};
  ASSERT_TRUE(end.carrier.wait_some(completed));
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(received.bytes, sent.bytes);
}

/// An execution that is given up leaves nothing that a later execution could find on its own context.
TEST(MemoryCarrier, ForgetsWhatADestroyedCarrierHadPosted) {
  const auto segment = NodeSegment::create(2).value();
  const auto first = NodeMemory::make(segment, 0).value();
  const auto second = NodeMemory::make(segment, 1).value();
  const Buffer lost = filled(8, 1), large = filled(100'000, 2), kept = filled(8, 3);
  Buffer gone(8);
  {
    MemoryCarrier sender(*first, all_on_one_node(2), 1);
    MemoryCarrier receiver(*second, all_on_one_node(2), 1);
    ASSERT_TRUE(sender.post_send(0, large.message(1)));
    ASSERT_TRUE(receiver.post_receive(0, gone.message(0, 3)));
  }
  MemoryCarrier sender(*first, all_on_one_node(2), 2);
  MemoryCarrier receiver(*second, all_on_one_node(2), 2);
  const Buffer received(8);
  ASSERT_TRUE(sender.post_send(0, kept.message(1)));
  ASSERT_TRUE(receiver.post_receive(0, received.message(0)));
  progress_until({&sender, &receiver}, {1, 1});
  EXPECT_EQ(received.bytes, kept.bytes);
}

struct Planned {
  Rank from, to;
  std::uint32_t stream;
  std::size_t size, pieces;
  std::uint64_t seed;
};

struct UnderWay {
  Buffer posted;
  Buffer right;  ///< what it must be at the end, if it is received
};

/// Sends and receives what concerns `self`, in an order of its own in which messages of one stream to one peer keep
/// theirs; at most `window` at a time.
int exchange(Carrier& carrier, Rank self, const std::vector<Planned>& plan, std::size_t window) {
  std::map<RequestId, UnderWay> under_way;
  std::vector<RequestId> completed(plan.size());
  std::size_t next = 0;
  while (next < plan.size() || !under_way.empty()) {
    while (next < plan.size() && under_way.size() < window) {
      const Planned& message = plan[next];
      const auto request = static_cast<RequestId>(next++);
      Buffer right = filled(message.size, message.seed, message.pieces);
      if (message.to == self) {
        const auto [entry, _] =
            under_way.emplace(request, UnderWay{Buffer(message.size, message.pieces % 3 + 1), std::move(right)});
        if (!carrier.post_receive(request, entry->second.posted.message(message.from, message.stream))) return 1;
      } else if (message.from == self) {
        const auto [entry, _] = under_way.emplace(request, UnderWay{std::move(right), Buffer(0)});
        if (!carrier.post_send(request, entry->second.posted.message(message.to, message.stream))) return 1;
      }
    }
    if (under_way.empty()) continue;
    const auto count = carrier.wait_some(completed);
    if (!count) return 2;
    for (std::size_t i = 0; i < *count; ++i) {
      const auto& [posted, right] = under_way.at(completed[i]);
      if (plan[completed[i]].to == self && posted.bytes != right.bytes) return 3;
      under_way.erase(completed[i]);
    }
  }
  return 0;
}

/// Messages of all sizes between all pairs. The order of the plan is that of every rank, so that nobody waits for ever.
std::vector<Planned> random_plan(Rank ranks, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Planned> plan;
  constexpr std::array<std::size_t, 6> sizes{0, 41, 500, 5000, 30'000, 100'000};
  while (plan.size() < count) {
    const auto from = static_cast<Rank>(random.below(ranks));
    const auto to = static_cast<Rank>((from + 1 + random.below(ranks - 1)) % ranks);
    const std::size_t size = random.below(sizes[random.below(sizes.size())] + 1);
    plan.push_back({from, to, static_cast<std::uint32_t>(random.below(3)), size, 1 + random.below(size / 4 % 20 + 1),
                    1000 * seed + plan.size()});
  }
  return plan;
}

TEST(MemoryCarrier, CarriesRandomMessagesBetweenThreads) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    constexpr Rank ranks = 4;
    const auto plan = random_plan(ranks, 150, seed);
    MemoryNetwork network(ranks, {.while_waiting = nullptr, .eager_limit = 3000, .read_peers = seed % 2 == 0});
    std::array<int, ranks> results{};
    {
      std::vector<std::jthread> threads;
      for (Rank self = 0; self < ranks; ++self) {
        threads.emplace_back([&, self] { results[self] = exchange(network.carrier(self), self, plan, 30); });
      }
    }
    EXPECT_EQ(results, (std::array<int, ranks>{})) << "seed " << seed;
  }
}

TEST(MemoryCarrier, CarriesRandomMessagesBetweenProcesses) {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    constexpr Rank ranks = 3;
    const auto plan = random_plan(ranks, 300, seed);
    const auto segment = NodeSegment::create(ranks).value();
    const int failures = count_failures(ranks, [&](Rank self) {
      MemoryEnd end(NodeSegment::join(segment->invitation()).value(), self);
      return exchange(end.carrier, self, plan, 50);
    });
    EXPECT_EQ(failures, 0) << "seed " << seed;
  }
}

/// Participants 0 and 2 are on one node, 1 and 3 on another; between nodes, a carrier of threads.
TEST(CombinedCarrier, CarriesRandomMessagesWithinAndBetweenNodes) {
  constexpr Rank ranks = 4;
  const auto plan = random_plan(ranks, 200, 21);
  ThreadNetwork far(ranks);
  const std::array segments{NodeSegment::create(2).value(), NodeSegment::create(2).value()};
  std::array<int, ranks> results{};
  {
    std::vector<std::jthread> threads;
    for (Rank self = 0; self < ranks; ++self) {
      threads.emplace_back([&, self] {
        const auto memory = NodeMemory::make(segments[self % 2], self / 2).value();
        const NodeParticipant here[] = {{self % 2, 0}, {self % 2 + 2, 1}};
        MemoryCarrier near(*memory, here, 1);
        CombinedCarrier carrier(near, far.carrier(self));
        results[self] = exchange(carrier, self, plan, 30);
      });
    }
  }
  EXPECT_EQ(results, (std::array<int, ranks>{}));
}

}  // namespace
}  // namespace ayatori
