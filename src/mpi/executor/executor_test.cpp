#include "ayatori/executor/executor.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>

#include "ayatori/executor/sample_data.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "carrier_fixtures.hpp"
#include "written_schedule_fixtures.hpp"

namespace {

// Memory that this thread has asked for.
thread_local std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
// stable_sort asks this way, and frees with the operator below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ayatori {
namespace {

using Words = std::vector<std::string>;

/// Executions one participant over a RecordingCarrier, in memory of its own.
struct Execution {
  Execution(const Schedule& schedule, Rank self)
      : memory(schedule, self),
        program(RankProgram::compile(schedule, self).value()),
        executor(program, carrier, add_bytes) {}

  Result<> start() {
    std::byte* const regions[] = {memory.data()};
    return executor.start(regions);
  }

  /// Completes the posts with these numbers, counted from the last take_posts(), and goes on.
  bool complete(std::initializer_list<std::size_t> posts) {
    for (const std::size_t post : posts) carrier.completed.push_back(carrier.posts[post].request);
    carrier.posts.clear();
    return executor.advance().value();
  }

  RecordingCarrier carrier;
  SlotMemory memory;
  RankProgram program;
  Executor executor;
};

WrittenSchedule empty_schedule(std::size_t steps, std::uint32_t streams = 1) {
  return {{Collective::barrier, 3, 0, 0}, {1, 1, 1, 1}, 1, steps, streams};
}

TEST(Executor, PostsReceivesBeforeSends) {
  WrittenSchedule schedule = empty_schedule(1);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(0, 0).send(2, SlotRange{0, 1});
  schedule.at(0, 0).receive(2, SlotRange{1, 1});
  Execution execution(schedule, 0);
  ASSERT_TRUE(execution.start());
  EXPECT_EQ(execution.carrier.take_posts(),
            (Words{"receive from 2 on stream 0", "send to 1 on stream 0", "send to 2 on stream 0"}));
}

/// Two steps: a message to 1, and one from 2, which is added to the first slot.
WrittenSchedule send_then_add() {
  WrittenSchedule schedule = empty_schedule(2);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(0, 1).receive(2, SlotRange{1, 1});
  schedule.at(0, 1).reduce(SlotRange{1, 1}, 0);
  return schedule;
}

TEST(Executor, ExecuteHandsWholeStepsToTheCarrierAndPostsTheMessagesOfThoseThatItRefuses) {
  const WrittenSchedule schedule = send_then_add();
  for (const std::size_t exchanges : {0U, 1U, 2U}) {
    Execution execution(schedule, 0);
    execution.carrier.exchanges = exchanges;
    execution.carrier.completes_at_once = true;
    execution.memory.slot(0)[0] = std::byte{3};
    execution.memory.slot(1)[0] = std::byte{4};
    for (int round = 1; round < 3; ++round) {
      std::byte* const regions[] = {execution.memory.data()};
      ASSERT_TRUE(execution.executor.execute(regions));
      EXPECT_EQ(execution.carrier.take_posts(), (Words{"send to 1 on stream 0", "receive from 2 on stream 0"}))
          << exchanges;
      EXPECT_EQ(execution.memory.slot(0)[0], std::byte(3 + 4 * round)) << "combined once in each execution";
      EXPECT_TRUE(execution.executor.done());
    }
  }
}

TEST(Executor, ExecuteReturnsTheErrorOfACarrierThatCantExchange) {
  const WrittenSchedule schedule = send_then_add();
  Execution execution(schedule, 0);
  execution.carrier.refusal = "the cable is cut";
  std::byte* const regions[] = {execution.memory.data()};
  const auto executed = execution.executor.execute(regions);
  ASSERT_FALSE(executed);
  EXPECT_EQ(executed.error().message, "the cable is cut");
}

TEST(Executor, AStepBeginsWhenAllMessagesOfTheStepBeforeAreComplete) {
  WrittenSchedule schedule = empty_schedule(3);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(0, 0).receive(1, SlotRange{1, 1});
  schedule.at(0, 2).send(2, SlotRange{1, 1});
  Execution execution(schedule, 0);
  ASSERT_TRUE(execution.start());
  ASSERT_EQ(execution.carrier.posts.size(), 2U);
  const RequestId receive = execution.carrier.posts[0].request;
  EXPECT_FALSE(execution.complete({1}));
  EXPECT_EQ(execution.carrier.take_posts(), Words{});
  execution.carrier.completed = {receive};
  EXPECT_FALSE(execution.executor.advance().value());
  EXPECT_EQ(execution.carrier.posts.size(), 1U);
  EXPECT_FALSE(execution.executor.done());
  EXPECT_TRUE(execution.complete({0}));
  EXPECT_TRUE(execution.executor.done());
}

TEST(Executor, StreamsAdvanceIndependently) {
  WrittenSchedule schedule = empty_schedule(2, 2);
  for (const std::uint32_t stream : {0U, 1U}) {
    schedule.at(0, 0, stream).send(1, SlotRange{0, 1});
    schedule.at(0, 1, stream).send(2, SlotRange{0, 1});
  }
  Execution execution(schedule, 0);
  ASSERT_TRUE(execution.start());
  ASSERT_EQ(execution.carrier.posts.size(), 2U);
  const RequestId first_of_stream_0 = execution.carrier.posts[0].request;
  EXPECT_FALSE(execution.complete({1}));
  EXPECT_EQ(execution.carrier.posts.size(), 1U);
  EXPECT_FALSE(execution.complete({0})) << "stream 1 is over, stream 0 has not begun its second step";
  execution.carrier.completed = {first_of_stream_0};
  EXPECT_FALSE(execution.executor.advance().value());
  EXPECT_EQ(execution.carrier.posts.size(), 1U);
  EXPECT_TRUE(execution.complete({0}));
}

TEST(Executor, LocalOperationsFollowTheMessagesOfTheirStep) {
  WrittenSchedule schedule = empty_schedule(2);
  schedule.at(0, 0).receive(1, SlotRange{1, 1});
  schedule.at(0, 0).reduce({1, 1}, 0);
  schedule.at(0, 0).copy({0, 1}, 2);
  schedule.at(0, 1).copy({2, 1}, 3);
  Execution execution(schedule, 0);
  ASSERT_TRUE(execution.start());
  execution.memory.slot(0)[0] = std::byte{3};
  execution.memory.slot(1)[0] = std::byte{4};
  EXPECT_EQ(execution.memory.slot(3)[0], std::byte{0});
  EXPECT_TRUE(execution.complete({0}));
  EXPECT_EQ(execution.memory.slot(0)[0], std::byte{7});
  EXPECT_EQ(execution.memory.slot(2)[0], std::byte{7});
  EXPECT_EQ(execution.memory.slot(3)[0], std::byte{7});
}

TEST(Executor, MessagesPointIntoTheirRegions) {
  WrittenSchedule schedule = empty_schedule(1);
  const SlotRange ranges[] = {{3, 1}, {0, 2}};
  schedule.at(0, 0).send(1, ranges);
  ProgramOptions options;
  options.region_starts = {0, 2};
  const auto program = RankProgram::compile(schedule, 0, options).value();
  RecordingCarrier carrier;
  Executor executor(program, carrier, nullptr);
  std::array<std::byte, 2> first{};
  std::array<std::byte, 2> second{};
  std::byte* const regions[] = {first.data(), second.data()};
  ASSERT_TRUE(executor.start(regions));
  ASSERT_EQ(carrier.posts.size(), 1U);
  const auto pieces = carrier.posts[0].message.pieces;
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].data(), second.data() + 1);
  EXPECT_EQ(pieces[0].size(), 1U);
  EXPECT_EQ(pieces[1].data(), first.data());
  EXPECT_EQ(pieces[1].size(), 2U);
  EXPECT_FALSE(Executor(program, carrier, nullptr).start(std::span(regions).first(1)));
}

TEST(Executor, CanExecuteAgain) {
  WrittenSchedule schedule = empty_schedule(1);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  Execution execution(schedule, 0);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(execution.start());
    EXPECT_FALSE(execution.executor.done());
    execution.carrier.completed.push_back(execution.carrier.posts.back().request);
    ASSERT_TRUE(execution.executor.finish());
    EXPECT_TRUE(execution.executor.done());
  }
  EXPECT_EQ(execution.carrier.posts.size(), 2U);
}

TEST(Executor, AScheduleWithoutMessagesIsDoneAtOnce) {
  Execution execution(empty_schedule(4), 0);
  ASSERT_TRUE(execution.start());
  EXPECT_TRUE(execution.executor.done());
  EXPECT_TRUE(execution.executor.advance().value());
}

TEST(Executor, ErrorsOfTheCarrierEndTheExecution) {
  WrittenSchedule schedule = empty_schedule(2);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(0, 1).send(1, SlotRange{0, 1});
  Execution execution(schedule, 0);
  execution.carrier.refusal = "the link is down";
  const auto begun = execution.start();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message, "the link is down");
  EXPECT_TRUE(execution.executor.done());

  execution.carrier.refusal.clear();
  ASSERT_TRUE(execution.start());
  execution.carrier.refusal = "the link is down again";
  execution.carrier.completed = {execution.carrier.posts.front().request};
  const auto gone_on = execution.executor.advance();
  ASSERT_FALSE(gone_on);
  EXPECT_EQ(gone_on.error().message, "the link is down again");
  EXPECT_TRUE(execution.executor.done());
}

/// Completes everything at once, and allocates nothing.
class InstantCarrier final : public Carrier {
 public:
  explicit InstantCarrier(std::size_t max_open) : completed_(max_open) {}

  Result<> post_send(RequestId request, const CarriedMessage&) override { return complete(request); }
  Result<> post_receive(RequestId request, const CarriedMessage&) override { return complete(request); }
  Result<std::size_t> test_some(std::span<RequestId> reported) override {
    const std::size_t count = std::min(count_, reported.size());
    std::copy_n(completed_.begin() + static_cast<std::ptrdiff_t>(count_ - count), count, reported.begin());
    count_ -= count;
    return count;
  }
  Result<std::size_t> wait_some(std::span<RequestId> reported) override { return test_some(reported); }

 private:
  Result<> complete(RequestId request) {
    completed_[count_++] = request;
    return {};
  }

  std::vector<RequestId> completed_;
  std::size_t count_ = 0;
};

TEST(Executor, AllocatesNothingWhileExecuting) {
  const bool rings[] = {true, true, true};
  const std::uint32_t lengths[] = {2, 3, 2};
  const Placement placement = placement_on_grid(lengths, rings);
  for (const Algorithm& algorithm : algorithms()) {
    AlgorithmOptions options;
    if (algorithm.collective == Collective::alltoallv) {
      options.pair_sizes = table_of_sizes(12, std::vector<Bytes>(144, 20));
    }
    const auto schedule = make_schedule(algorithm.name, {algorithm.collective, 12, 0, 240}, placement, options).value();
    SlotMemory memory(*schedule, 5);
    const auto program = RankProgram::compile(*schedule, 5).value();
    InstantCarrier carrier(program.max_open_messages());
    Executor executor(program, carrier, add_bytes);
    std::byte* const regions[] = {memory.data()};
    const std::size_t before = allocations;
    const bool started = executor.start(regions).has_value();
    const bool done = executor.advance().value();
    EXPECT_EQ(allocations, before) << algorithm.name;
    EXPECT_TRUE(started && done) << algorithm.name;
  }
}

/// Rank 0 of two ranks and four slots, each of which is a region: sends slot 0, receives slot 1, copies 1 to 2, and
/// exchanges slot 3.
struct ExecuteBySlot {
  ExecuteBySlot() : schedule({Collective::barrier, 2, 0, 0}, {1, 1, 1, 1}, 1, 2, 1) {
    schedule.at(0, 0).send(1, SlotRange{0, 1});
    schedule.at(0, 0).receive(1, SlotRange{1, 1});
    schedule.at(0, 0).copy({1, 1}, 2);
    schedule.at(0, 1).send(1, SlotRange{3, 1});
    ProgramOptions options;
    options.region_starts = {0, 1, 2, 3};
    program = RankProgram::compile(schedule, 0, options).value();
  }
  WrittenSchedule schedule;
  RankProgram program;
  RecordingCarrier carrier;
};

TEST(ExecutorWithSizes, MessagesAndCopiesHaveTheSizesOfThisExecution) {
  ExecuteBySlot execution;
  Executor executor(execution.program, execution.carrier, add_bytes);
  std::array<std::array<std::byte, 8>, 4> memory{};
  memory[1].fill(std::byte{7});
  std::byte* const regions[] = {memory[0].data(), memory[1].data(), memory[2].data(), memory[3].data()};
  const Bytes sizes[] = {5, 3, 3, 8};
  ASSERT_TRUE(executor.start(regions, sizes));
  ASSERT_EQ(execution.carrier.posts.size(), 2U);
  EXPECT_EQ(execution.carrier.posts[0].message.bytes, 3U);
  EXPECT_EQ(execution.carrier.posts[1].message.bytes, 5U);
  for (const auto& post : execution.carrier.posts) execution.carrier.completed.push_back(post.request);
  EXPECT_FALSE(executor.advance().value());
  EXPECT_EQ(memory[2][2], std::byte{7});
  EXPECT_EQ(memory[2][3], std::byte{0});
  EXPECT_EQ(execution.carrier.posts.back().message.bytes, 8U);
}

TEST(ExecutorWithSizes, MessagesWithoutBytesAreNotSentAndTheirStepsEnd) {
  ExecuteBySlot execution;
  Executor executor(execution.program, execution.carrier, add_bytes);
  std::array<std::byte, 8> memory{};
  std::byte* const regions[] = {nullptr, nullptr, nullptr, memory.data()};
  const Bytes only_the_last[] = {0, 0, 0, 8};
  ASSERT_TRUE(executor.start(regions, only_the_last));
  ASSERT_EQ(execution.carrier.posts.size(), 1U);
  EXPECT_EQ(execution.carrier.posts[0].message.pieces[0].data(), memory.data());
  const Bytes nothing[] = {0, 0, 0, 0};
  execution.carrier.completed = {execution.carrier.posts[0].request};
  EXPECT_TRUE(executor.advance().value());
  execution.carrier.posts.clear();
  ASSERT_TRUE(executor.start(regions, nothing));
  EXPECT_TRUE(execution.carrier.posts.empty());
  EXPECT_TRUE(executor.done());
}

TEST(ExecutorWithSizes, AnotherNumberOfSizesIsAnError) {
  ExecuteBySlot execution;
  Executor executor(execution.program, execution.carrier, add_bytes);
  std::byte* const regions[] = {nullptr, nullptr, nullptr, nullptr};
  EXPECT_FALSE(executor.start(regions, std::array<Bytes, 3>{}));
}

}  // namespace
}  // namespace ayatori
