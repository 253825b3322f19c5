// Random operations of several processes at once, over a network that loses and reorders datagrams, against arrays that
// are changed by one operation after the other.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "onesided_fixtures.hpp"

namespace ayatori::onesided {
namespace model_test {

/// Each process has a stripe of each memory for itself, in which no other process changes anything. The words before
/// the stripes are counters that all processes add to.
constexpr std::size_t counters = 2;
constexpr std::size_t stripe_words = 64;
constexpr std::size_t results = 8;  // words of a stripe on its own process that get atomics' results

struct Range {
  Rank rank;
  std::size_t word;
  std::size_t words;
};

class Model {
 public:
  Model(Processes& processes, std::uint64_t seed) : processes_(processes), random_(seed) {
    memories_.assign(processes.count(), std::vector<std::uint64_t>(processes.memory(0).size()));
    last_use_.assign(processes.count(), memories_);
    for (Rank rank = 0; rank < processes.count(); ++rank) {
      for (std::size_t i = counters; i < memories_[rank].size(); ++i) {
        memories_[rank][i] = processes.memory(rank)[i] = random_();
      }
    }
  }

  /// Starts an operation of `self`, and does it to the arrays. Its order is the lowest that keeps the ranges in order,
  /// or a higher one.
  void start(Rank self) {
    const std::uint64_t choice = random_.below(10);
    if (choice < 6) return copy(self);
    if (choice < 9) return change(self);
    count(self);
  }

  void expect_equal() {
    for (Rank rank = 0; rank < processes_.count(); ++rank) {
      const auto& found = processes_.memory(rank);
      EXPECT_TRUE(std::equal(found.begin() + counters, found.end(), memories_[rank].begin() + counters)) << rank;
      EXPECT_EQ(found[0], added_[rank]);
    }
  }

 private:
  [[nodiscard]] std::size_t stripe(Rank self) const { return counters + self * stripe_words; }

  Range any_range(Rank self, std::size_t words) {
    return {static_cast<Rank>(random_.below(processes_.count())),
            stripe(self) + results + random_.below(stripe_words - results - words + 1), words};
  }
  GlobalAddress address(const Range& range) { return processes_.address(range.rank, range.word * 8); }

  Handle after(Rank self, std::initializer_list<Range> ranges) {
    const Handle latest = processes_[self].latest();
    Handle needed = 0;
    for (const Range& range : ranges) {
      auto* last = &last_use_[self][range.rank][range.word];
      for (std::size_t i = 0; i < range.words; ++i) {
        if (last[i] <= latest) needed = std::max(needed, last[i]);
        last[i] = latest + 1;
      }
    }
    return random_.below(4) == 0 ? latest : needed + random_.below(latest - needed + 1);
  }

  void copy(Rank self) {
    const std::size_t words = 1 + random_.below(random_.below(2) == 0 ? 2 : 40);
    const Range dst = any_range(self, words);
    Range src = any_range(self, words);
    // Over itself a copy is only defined within one process; the model would have to do it in pieces.
    if (src.rank == dst.rank) src.word = dst.word;
    const Handle order = after(self, {dst, src});
    need(processes_[self].copy(processes_.now(), address(dst), address(src), words * 8, order));
    std::copy_n(memories_[src.rank].begin() + static_cast<std::ptrdiff_t>(src.word), words,
                memories_[dst.rank].begin() + static_cast<std::ptrdiff_t>(dst.word));
  }

  void change(Rank self) {
    const Range src = any_range(self, 1);
    const Range dst{self, stripe(self) + random_.below(results), 1};
    std::uint64_t& word = memories_[src.rank][src.word];
    AtomicOperation operation{.kind = static_cast<Atomic>(random_.below(6)),
                              .size = static_cast<std::uint8_t>(random_.below(2) == 0 ? 4 : 8),
                              .dst = address(dst),
                              .src = address(src),
                              .operand = random_(),
                              .expected = random_.below(2) == 0 ? word : random_()};
    const Handle order = after(self, {dst, src});
    need(processes_[self].apply(processes_.now(), operation, order));
    const std::uint64_t mask = operation.size == 4 ? no_id : ~std::uint64_t{0};
    std::uint64_t& result = memories_[self][dst.word];
    result = (result & ~mask) | (word & mask);
    word = (word & ~mask) | (value_after(operation, word & mask, mask) & mask);
  }

  static std::uint64_t value_after(const AtomicOperation& operation, std::uint64_t before, std::uint64_t mask) {
    switch (operation.kind) {
      case Atomic::swap:
        return operation.operand;
      case Atomic::add:
        return before + operation.operand;
      case Atomic::exclusive_or:
        return before ^ operation.operand;
      case Atomic::inclusive_or:
        return before | operation.operand;
      case Atomic::conjunction:
        return before & operation.operand;
      case Atomic::compare_swap:
        return before == (operation.expected & mask) ? operation.operand : before;
    }
    return before;
  }

  /// All add to the first word of some process; what was there before is of no process alone, and goes to the second.
  void count(Rank self) {
    const auto target = static_cast<Rank>(random_.below(processes_.count()));
    const std::uint64_t amount = random_.below(1000);
    need(processes_[self].apply(
        processes_.now(), {.dst = processes_.address(self, 8), .src = processes_.address(target, 0), .operand = amount},
        0));
    added_[target] += amount;
  }

  Processes& processes_;
  Random random_;
  std::vector<std::vector<std::uint64_t>> memories_;
  std::vector<std::vector<std::vector<Handle>>> last_use_;  // by initiator, rank, word
  std::map<Rank, std::uint64_t> added_;
};

/// Of three seeds one is without adapters, one with fewer connections than peers, and one with enough.
TEST(GlobalMemory, ConcurrentOperationsGiveTheMemoryOfTheSequentialModel) {
  for (std::uint64_t seed = 0; seed < test::tries(15U, 30U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Rank count = 1 + static_cast<Rank>(seed) % 5;
    Fabric fabric;
    Settings settings = narrow_settings(seed);
    settings.connections = static_cast<std::uint32_t>(seed % 3) * 2;
    settings.adapter_atomics = true;
    Processes processes(bad_network(seed), count, counters + count * stripe_words, settings, &fabric);
    Model model(processes, seed);
    std::vector<int> left(count, 60);
    const auto all_done = [&] {
      bool done = true;
      for (Rank self = 0; self < count; ++self) {
        while (left[self] > 0 && !processes[self].full()) {
          model.start(self);
          --left[self];
        }
        done = done && left[self] == 0 && processes[self].idle();
      }
      return done;
    };
    ASSERT_TRUE(processes.run_until(all_done));
    model.expect_equal();
    for (Rank self = 0; self < count; ++self) EXPECT_FALSE(processes[self].take_failure(processes[self].latest()));
  }
}

TEST(GlobalMemory, EveryAddIsCarriedOutOnce) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    constexpr Rank count = 6;
    constexpr std::size_t adds = 100;
    Processes processes(bad_network(seed), count, 1 + adds, narrow_settings(seed));
    std::vector<std::size_t> started(count);
    ASSERT_TRUE(processes.run_until([&] {
      bool done = true;
      for (Rank self = 0; self < count; ++self) {
        for (; started[self] < adds && !processes[self].full(); ++started[self]) {
          need(processes[self].apply(
              processes.now(),
              {.dst = processes.address(self, 8 + started[self] * 8), .src = processes.address(0, 0), .operand = 1},
              0));
        }
        done = done && started[self] == adds && processes[self].idle();
      }
      return done;
    }));
    EXPECT_EQ(processes.memory(0)[0], count * adds);
    std::set<std::uint64_t> before;
    for (Rank self = 0; self < count; ++self) {
      before.insert(processes.memory(self).begin() + 1, processes.memory(self).end());
    }
    EXPECT_EQ(before.size(), count * adds);
  }
}

}  // namespace model_test
}  // namespace ayatori::onesided
