#include "ayatori/carriers/socket_carrier.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "ayatori/base/random.hpp"
#include "case_fixtures.hpp"
#include "participant_fixtures.hpp"
#include "socket_inbox.hpp"
#include "socket_network_fixtures.hpp"

namespace ayatori {
namespace {

class ExecuteBySockets : public testing::TestWithParam<Collective> {};

TEST_P(ExecuteBySockets, FulfilsThePostcondition) {
  for (const Rank ranks : {2U, 5U}) {
    SocketNetwork network(ranks, 2);
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective != GetParam()) continue;
      const ScheduleCase drawn = CaseDraw(200 + ranks, 20'000).of(algorithm, ranks);
      const SchedulePtr schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options).value();
      if (schedule->participant_count() != ranks) continue;
      for (int round = 0; round < 2; ++round) {
        network.begin_execution(schedule->stream_count());
        const Result<> executed = execute_by_threads(*schedule, network);
        ASSERT_TRUE(executed) << algorithm.name << ": " << executed.error().message << ", " << executed.error().cause;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ExecuteBySockets,
                         testing::Values(Collective::alltoall, Collective::alltoallv, Collective::broadcast,
                                         Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                         Collective::allgather, Collective::gather, Collective::scatter,
                                         Collective::barrier, Collective::halo),
                         [](const auto& test) { return std::string(to_word(test.param)); });

/// Both ends go on until the receiver has `count` messages. Which, in the order in which they complete.
Result<std::vector<RequestId>> received(SocketNetwork& network, std::size_t count) {
  std::vector<RequestId> all;
  std::array<RequestId, 8> some;
  for (int check = 0; check < 1'000'000 && all.size() < count; ++check) {
    if (auto sent = network.carrier(0).test_some(some); !sent) return Failure(sent.error());
    const auto got = network.carrier(1).test_some(some);
    if (!got) return Failure(got.error());
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(*got));
  }
  return all;
}

TEST(SocketCarrier, LargeMessagesArriveWholeOverSeveralPaths) {
  SocketNetwork network(2, 3, 1000);
  network.begin_execution(1);
  for (const std::size_t bytes : {0UL, 1UL, 999UL, 1000UL, 1001UL, 3'000'001UL}) {
    Post sent(1, 0, numbered(bytes));
    Post got(0, 0, std::vector<std::byte>(bytes));
    ASSERT_TRUE(network.carrier(1).post_receive(4, got.message));
    ASSERT_TRUE(network.carrier(0).post_send(2, sent.message));
    ASSERT_EQ(received(network, 1).value(), std::vector<RequestId>{4});
    EXPECT_EQ(got.bytes, sent.bytes);
  }
}

TEST(SocketCarrier, AStreamDoesNotWaitForAnother) {
  SocketNetwork network(2);
  network.begin_execution(2);
  Post first(1, 0, numbered(5000));
  Post second(1, 1, numbered(70));
  ASSERT_TRUE(network.carrier(0).post_send(0, first.message));
  ASSERT_TRUE(network.carrier(0).post_send(1, second.message));
  Post got_second(0, 1, std::vector<std::byte>(70));
  ASSERT_TRUE(network.carrier(1).post_receive(1, got_second.message));
  ASSERT_EQ(received(network, 1).value(), std::vector<RequestId>{1});
  EXPECT_EQ(got_second.bytes, second.bytes);
  Post got_first(0, 0, std::vector<std::byte>(5000));
  ASSERT_TRUE(network.carrier(1).post_receive(0, got_first.message));
  ASSERT_EQ(received(network, 1).value(), std::vector<RequestId>{0});
  EXPECT_EQ(got_first.bytes, first.bytes);
}

TEST(SocketCarrier, MessagesOfTheNextExecutionWaitForIt) {
  SocketNetwork network(2);
  network.begin_execution(1);
  SocketCarrier& sender = network.carrier(0);
  sender.begin_execution(99);
  Post sent(1, 0, numbered(400'000));
  ASSERT_TRUE(sender.post_send(0, sent.message));
  EXPECT_TRUE(received(network, 0).value().empty());
  network.carrier(1).begin_execution(99);
  Post got(0, 0, std::vector<std::byte>(400'000));
  ASSERT_TRUE(network.carrier(1).post_receive(7, got.message));
  ASSERT_EQ(received(network, 1).value(), std::vector<RequestId>{7});
  EXPECT_EQ(got.bytes, sent.bytes);
}

/// A carrier of a process in addition to its first one.
std::unique_ptr<SocketCarrier> another(SocketNetwork& network, Rank process, std::uint64_t context) {
  const auto all = std::make_shared<const std::vector<Rank>>(std::vector<Rank>{0, 1});
  auto made = std::make_unique<SocketCarrier>(*network.sockets(process), all, 1);
  made->begin_execution(context);
  return made;
}

/// Both ends go on until the second has a message.
RequestId received_by(SocketCarrier& sender, SocketCarrier& receiver) {
  std::array<RequestId, 1> some{};
  for (int check = 0; check < 1'000'000; ++check) {
    EXPECT_TRUE(sender.test_some(some));
    const auto got = receiver.test_some(some);
    EXPECT_TRUE(got);
    if (got.value_or(1) > 0) return some[0];
  }
  return no_id;
}

TEST(SocketCarrier, ConcurrentExecutionsBeginInAnyOrder) {
  SocketNetwork network(2);
  const auto first = another(network, 0, 1 | concurrent_execution);
  const auto second = another(network, 0, 2 | concurrent_execution);
  Post large(1, 0, numbered(400'000));
  Post small(1, 0, numbered(30));
  ASSERT_TRUE(first->post_send(0, large.message));
  ASSERT_TRUE(second->post_send(0, small.message));
  const auto got_second = another(network, 1, 2 | concurrent_execution);
  Post got_small(0, 0, std::vector<std::byte>(30));
  ASSERT_TRUE(got_second->post_receive(5, got_small.message));
  EXPECT_EQ(received_by(*first, *got_second), 5U);
  EXPECT_EQ(got_small.bytes, small.bytes);
  const auto got_first = another(network, 1, 1 | concurrent_execution);
  Post got_large(0, 0, std::vector<std::byte>(400'000));
  ASSERT_TRUE(got_first->post_receive(6, got_large.message));
  EXPECT_EQ(received_by(*first, *got_first), 6U);
  EXPECT_EQ(got_large.bytes, large.bytes);
}

TEST(SocketCarrier, AConcurrentExecutionDoesNotWaitForOneThatHasNotBegunHere) {
  SocketNetwork network(2);
  network.begin_execution(1);
  const auto sends = another(network, 0, 7 | concurrent_execution);
  const auto receives = another(network, 1, 7 | concurrent_execution);
  Post of_next(1, 0, numbered(400'000));
  Post concurrent(1, 0, numbered(30));
  network.carrier(0).begin_execution(99);
  ASSERT_TRUE(network.carrier(0).post_send(0, of_next.message));
  ASSERT_TRUE(sends->post_send(0, concurrent.message));
  Post got(0, 0, std::vector<std::byte>(30));
  ASSERT_TRUE(receives->post_receive(5, got.message));
  EXPECT_EQ(received_by(*sends, *receives), 5U);
  EXPECT_EQ(got.bytes, concurrent.bytes);
  network.carrier(1).begin_execution(99);
  Post got_next(0, 0, std::vector<std::byte>(400'000));
  ASSERT_TRUE(network.carrier(1).post_receive(7, got_next.message));
  EXPECT_EQ(received(network, 1).value(), std::vector<RequestId>{7});
  EXPECT_EQ(got_next.bytes, of_next.bytes);
}

/// Of one process: executions of several schedules at the same time, which begin in an order of its own.
Result<> execute_concurrently(std::vector<std::unique_ptr<Participant>>& executions, Random& order) {
  order.shuffle(std::span(executions));
  std::size_t begun = 0;
  while (true) {
    if (begun < executions.size() && (begun == 0 || order.below(3) == 0)) {
      if (auto started = executions[begun++]->start(); !started) return started;
    }
    std::size_t done = 0;
    for (std::size_t i = 0; i < begun; ++i) {
      Participant& one = *executions[i];
      if (!one.done) {
        const auto advanced = one.executor.advance();
        if (!advanced) return Failure(advanced.error());
        one.done = *advanced;
      }
      done += one.done ? 1 : 0;
    }
    if (done == executions.size()) return {};
  }
}

TEST(SocketCarrier, ManyExecutionsAtTheSameTimeFulfilTheirPostconditions) {
  constexpr Rank ranks = 4;
  constexpr std::size_t at_once = 6;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    CaseDraw draw(seed, 60'000);
    SocketNetwork network(ranks, 2);
    const auto all = std::make_shared<const std::vector<Rank>>(std::vector<Rank>{0, 1, 2, 3});
    std::vector<SchedulePtr> schedules;
    std::vector<std::unique_ptr<SocketCarrier>> carriers;
    std::vector<Participants> by_rank(ranks);
    std::vector<std::vector<Participant*>> by_schedule;
    while (schedules.size() < at_once) {
      const Algorithm& algorithm = algorithms()[random.below(algorithms().size())];
      const ScheduleCase drawn = draw.of(algorithm, ranks);
      const auto made = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options);
      if (!made || (*made)->participant_count() != ranks) continue;
      schedules.push_back(*made);
      auto& participants = by_schedule.emplace_back();
      for (Rank rank = 0; rank < ranks; ++rank) {
        carriers.push_back(std::make_unique<SocketCarrier>(*network.sockets(rank), all, (*made)->stream_count()));
        carriers.back()->begin_execution(schedules.size() | concurrent_execution);
        by_rank[rank].push_back(std::make_unique<Participant>(**made, rank, *carriers.back()));
        participants.push_back(by_rank[rank].back().get());
      }
    }
    std::vector<Result<>> outcomes(ranks);
    {
      std::vector<std::jthread> threads;
      for (Rank rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank, order = Random(seed * 10 + rank)]() mutable {
          outcomes[rank] = execute_concurrently(by_rank[rank], order);
        });
      }
    }
    for (const auto& outcome : outcomes) ASSERT_TRUE(outcome) << outcome.error().message;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      for (Rank rank = 0; rank < schedules[i]->call().ranks; ++rank) {
        const auto checked = check_sample_data(*schedules[i], rank, by_schedule[i][rank]->memory);
        ASSERT_TRUE(checked) << checked.error().message;
      }
    }
  }
}

TEST(SocketCarrier, EndsOfAMessageThatDifferInSizeAreAnError) {
  SocketNetwork network(2);
  network.begin_execution(1);
  Post sent(1, 0, numbered(40));
  Post got(0, 0, std::vector<std::byte>(41));
  ASSERT_TRUE(network.carrier(1).post_receive(0, got.message));
  ASSERT_TRUE(network.carrier(0).post_send(0, sent.message));
  const auto outcome = received(network, 1);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "a message of 40 bytes is received as 41");
}

TEST(SocketInbox, FragmentsThatDoNotFitTheirMessageAreErrors) {
  SocketInbox inbox;
  const auto find = [&](std::uint64_t offset, std::uint64_t bytes) {
    return inbox.find(3, {.context = 5, .message_bytes = 100, .offset = offset, .bytes = bytes}, true);
  };
  EXPECT_FALSE(find(101, 0));
  EXPECT_FALSE(find(1, 100));
  EXPECT_FALSE(find(50, ~std::uint64_t{0}));
  ASSERT_EQ(find(40, 60).value(), SocketInbox::Place::here);
  inbox.arrived(3, {.context = 5, .message_bytes = 100, .offset = 40, .bytes = 60});
  EXPECT_FALSE(find(0, 41)) << "more than is left";
  EXPECT_TRUE(find(0, 40));
}

TEST(SocketCarrier, AProcessThatHasEndedIsAnErrorToWhoWaitsForIt) {
  SocketNetwork network(2);
  network.begin_execution(1);
  Post sent(1, 0, numbered(4));
  Post got(0, 0, std::vector<std::byte>(4));
  ASSERT_TRUE(network.carrier(1).post_receive(0, got.message));
  ASSERT_TRUE(network.carrier(0).post_send(0, sent.message));
  ASSERT_EQ(received(network, 1).value().size(), 1U);
  ASSERT_TRUE(network.carrier(1).post_receive(1, got.message));
  network.carrier(0).end_execution();
  network.sockets(0).reset();
  std::array<RequestId, 1> some;
  const auto outcome = network.carrier(1).wait_some(some);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "process 0 has ended before it sent what is awaited");
}

TEST(SocketCarrier, NobodyThereIsAnError) {
  SocketNetwork network(2);
  network.begin_execution(1);
  network.carrier(1).end_execution();
  network.sockets(1).reset();
  Post sent(1, 0, numbered(4));
  std::array<RequestId, 1> some;
  const auto posted = network.carrier(0).post_send(0, sent.message);
  const auto outcome = posted ? network.carrier(0).wait_some(some) : Failure(posted.error());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "nothing can be sent from 127.0.0.1 to 127.0.0.1");
}

}  // namespace
}  // namespace ayatori
