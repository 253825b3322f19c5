// Barriers, delegated copies and a rank that is lost, over a network that loses and reorders datagrams.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "ayatori/base/random.hpp"
#include "delegations.hpp"
#include "onesided_fixtures.hpp"

namespace ayatori::onesided {
namespace {

TEST(Barrier, NoRankLeavesBeforeAllHaveArrived) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    constexpr int barriers = 8;
    const Rank count = 2 + static_cast<Rank>(seed) % 8;
    Processes processes(bad_network(seed), count, 1, narrow_settings(seed));
    Random random(seed);
    std::vector<int> come(count);
    ASSERT_TRUE(processes.run_until([&] {
      const int all = *std::ranges::min_element(come);
      std::vector<Rank> outside;
      for (Rank rank = 0; rank < count; ++rank) {
        if (!processes[rank].barrier_done()) continue;
        EXPECT_LE(come[rank], all) << "rank " << rank << " is through";
        outside.push_back(rank);
      }
      if (all == barriers && outside.size() == count) return true;
      std::erase_if(outside, [&](Rank rank) { return come[rank] == barriers; });
      if (outside.empty()) return false;
      const Rank next = outside[random.below(outside.size())];
      ++come[next];
      processes[next].start_barrier(processes.now());
      return false;
    }));
  }
}

/// No process of ours sends such a call. If it were not done at once, it would never be.
TEST(Delegations, CopyOfNoBytesIsDoneAtOnce) {
  Core core({.identity = {.self = 0}, .procs = 3, .endpoint = {}, .known_regions = 1});
  std::uint64_t word = 0;
  const auto key = need(core.memory.add(reinterpret_cast<std::byte*>(&word), sizeof word));
  Delegations delegations(core, 1);
  const GlobalAddress here = core.space.of({0, transport::index_of(key), 0});
  const GlobalAddress elsewhere = core.space.of({2, 0, 0});
  const Answer answer = delegations.accept(1, {.kind = CallKind::copy, .words = {here, elsewhere, 0, 7}});
  EXPECT_EQ(answer.status, Status::done);
  EXPECT_EQ(answer.value, 1U);
  EXPECT_TRUE(delegations.idle());
}

TEST(GlobalMemory, MakeNamesTheSettingThatIsOutOfRange) {
  const auto error_of = [](auto Settings::* field, std::uint32_t value) {
    Settings settings;
    settings.*field = value;
    const auto made = GlobalMemory::make(settings);
    return made ? "no error" : made.error().message;
  };
  EXPECT_EQ(error_of(&Settings::operations, 3), "operations is 3; it must be a power of two");
  EXPECT_EQ(error_of(&Settings::known_regions, 0), "known_regions is 0; it must be at least 1");
  EXPECT_EQ(error_of(&Settings::delegated, 0), "delegated is 0; it must be at least 1");
  EXPECT_EQ(error_of(&Settings::channels, 65'537), "channels is 65537; it must be at most 65536");
  EXPECT_EQ(error_of(&Settings::procs, 0), "there is no rank 0 among 0 processes");
}

constexpr Rank victim = 3;
constexpr Bytes half = 2048;  // bytes: of each memory, the second half is written to

/// Everything that rank 0 can have under way with the rank that dies.
class Survivor {
 public:
  explicit Survivor(Processes& processes) : processes_(processes), self_(processes[0]) {
    out_ = need(self_.open_channel(processes.now(), 0, victim));
    in_ = need(self_.open_channel(processes.now(), victim, 0));
  }

  void start() {
    const Time now = processes_.now();
    const auto here = [&](Bytes offset) { return processes_.address(0, offset); };
    const auto there = [&](Bytes offset) { return processes_.address(victim, offset); };
    operations_ = {need(self_.copy(now, there(0), here(0), 8, 0)),
                   need(self_.copy(now, there(half), here(0), 1000, 0)),
                   need(self_.copy(now, here(half), there(0), 1000, 0)),
                   need(self_.apply(now, {.dst = here(half), .src = there(0), .operand = 1}, 0)),
                   need(self_.copy(now, there(half), processes_.address(1, 0), 1000, 0)),
                   need(self_.copy(now, processes_.address(1, half), there(0), 1000, 0))};
    requests_ = {need(self_.send(now, out_, buffer_.data(), 100)), need(self_.receive(now, in_, buffer_.data(), 100))};
    self_.start_barrier(now);
  }

  [[nodiscard]] bool has_heard() const {
    return self_.completed(operations_.back()) && self_.request_done(requests_[0]) &&
           self_.request_done(requests_[1]) && self_.loss();
  }

  void expect_all_failed() {
    for (const Handle operation : operations_) {
      const auto failure = self_.take_failure(operation);
      ASSERT_TRUE(failure) << "operation " << operation;
      EXPECT_EQ(failure->code, EHOSTDOWN) << failure->message;
      EXPECT_NE(failure->message.find("rank 3 is lost"), std::string::npos) << failure->message;
    }
    for (const RequestId request : requests_) EXPECT_EQ(self_.finish(request).error().code, EHOSTDOWN);
    for (const ChannelId channel : {out_, in_}) {
      const RequestId closing = need(self_.close_channel(processes_.now(), channel));
      ASSERT_TRUE(self_.request_done(closing));
      EXPECT_EQ(self_.finish(closing).error().code, EHOSTDOWN);
    }
    EXPECT_FALSE(self_.barrier_done());
    EXPECT_TRUE(self_.loss()->message.starts_with("rank 3 is lost")) << self_.loss()->message;
  }

 private:
  Processes& processes_;
  GlobalMemory& self_;
  ChannelId out_ = 0;
  ChannelId in_ = 0;
  std::vector<Handle> operations_;
  std::vector<RequestId> requests_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(100);
};

TEST(GlobalMemory, EveryOperationWithALostRankFailsWithEhostdown) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Settings settings = narrow_settings(seed);
    settings.endpoint.give_up_after = std::chrono::seconds(1);
    Processes processes(bad_network(seed), 4, half / 4, settings);
    Survivor survivor(processes);
    // In half of the runs the rank is known already when it dies, and something is under way.
    if (seed % 2 == 0) {
      const Handle known =
          need(processes[0].copy(processes.now(), processes.address(0, 0), processes.address(victim, 0), 1000, 0));
      ASSERT_TRUE(processes.run_until([&] { return processes[0].completed(known); }));
      survivor.start();
      processes.network().detach(victim);
    } else {
      processes.network().detach(victim);
      survivor.start();
    }
    ASSERT_TRUE(processes.run_until([&] { return survivor.has_heard(); }));
    survivor.expect_all_failed();

    // The others live.
    const Handle alive =
        need(processes[0].copy(processes.now(), processes.address(1, 0), processes.address(2, 0), 99, 0));
    ASSERT_TRUE(processes.run_until([&] { return processes[0].completed(alive); }));
    EXPECT_FALSE(processes[0].take_failure(alive));
  }
}

}  // namespace
}  // namespace ayatori::onesided
