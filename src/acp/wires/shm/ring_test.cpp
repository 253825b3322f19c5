#include "ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori::wires {
namespace ring_test {

using transport::Datagram;
using Bytes = std::vector<std::byte>;

constexpr std::uint64_t key = 99;
constexpr std::uint32_t owner = 3;

struct Memory {
  explicit Memory(const RingShape& shape)
      : lines(Ring::bytes(shape) / sizeof(Line) + 1), receiver(Ring::make(bytes(), shape, key, owner)) {}
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(lines)); }
  Ring view() { return *Ring::open(bytes(), key, owner); }

  struct alignas(cache_line) Line {
    std::byte bytes[cache_line];
  };
  std::vector<Line> lines;
  Ring receiver;
};

constexpr RingShape small{.cells = 16, .buffers = 4, .buffer_bytes = 1'024};

bool put(Ring& ring, const Bytes& bytes, bool control = false) { return ring.put({0, control, bytes, {}}); }

std::size_t take_all(Ring& ring) {
  std::size_t count = 0;
  for (; ring.next(); ring.done()) ++count;
  return count;
}

TEST(Ring, NextReturnsTheDatagramsThatWerePut) {
  Memory memory(small);
  Ring sender = memory.view();
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    Bytes bytes(random.below(1'025));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const std::size_t header = random.below(bytes.size() + 1);
    ASSERT_TRUE(sender.put({0, false, std::span(bytes).first(header), std::span(bytes).subspan(header)}));
    const auto got = memory.receiver.next();
    ASSERT_TRUE(got);
    EXPECT_TRUE(std::ranges::equal(*got, bytes));
    memory.receiver.done();
  }
  EXPECT_FALSE(memory.receiver.next());
}

TEST(Ring, LastEighthOfCellsIsReservedForControlPackets) {
  Memory memory(small);
  Ring sender = memory.view();
  std::size_t data = 0, control = 0;
  while (put(sender, Bytes(10))) ++data;
  while (put(sender, Bytes(10), true)) ++control;
  EXPECT_EQ(data, 14U);
  EXPECT_EQ(control, 2U);
  EXPECT_EQ(take_all(memory.receiver), 16U);
  EXPECT_TRUE(put(sender, Bytes(10)));
}

TEST(Ring, DoneFreesTheBuffer) {
  Memory memory(small);
  Ring sender = memory.view();
  for (int round = 0; round < 10; ++round) {
    std::size_t large = 0;
    while (put(sender, Bytes(1'000))) ++large;
    EXPECT_EQ(large, 4U);
    EXPECT_TRUE(put(sender, Bytes(100)));
    EXPECT_FALSE(put(sender, Bytes(1'025)));
    EXPECT_EQ(take_all(memory.receiver), 5U);
  }
}

/// A cell is read once: other processes may change it afterwards.
TEST(Ring, DoneFreesTheBufferThatNextReadEvenIfTheCellChanges) {
  constexpr std::size_t cell_bytes = 256;
  constexpr std::size_t buffer_number_at = 12;
  constexpr std::uint32_t no_such_buffer = small.buffers;
  Memory memory(small);
  Ring sender = memory.view();
  const std::size_t first_cell =
      Ring::bytes(small) - std::size_t{small.buffers} * small.buffer_bytes - small.cells * cell_bytes;
  ASSERT_TRUE(put(sender, Bytes(1'000)));
  ASSERT_EQ(memory.receiver.next()->size(), 1'000U);
  std::memcpy(memory.bytes().data() + first_cell + buffer_number_at, &no_such_buffer, sizeof no_such_buffer);
  memory.receiver.done();
  std::size_t large = 0;
  while (put(sender, Bytes(1'000))) ++large;
  EXPECT_EQ(large, small.buffers);
}

TEST(Ring, SkipUnfinishedGoesOnAfterASenderThatHangs) {
  Memory memory(small);
  Ring hanging = memory.view(), other = memory.view();
  const auto slot = hanging.begin(1'000, false);
  ASSERT_TRUE(slot);
  ASSERT_TRUE(put(other, Bytes(10)));
  EXPECT_FALSE(memory.receiver.next());
  EXPECT_TRUE(memory.receiver.unfinished());
  memory.receiver.skip_unfinished();
  EXPECT_EQ(memory.receiver.next()->size(), 10U);
  memory.receiver.done();
  EXPECT_FALSE(memory.receiver.unfinished());
  // No other sender gets that cell, for several times around.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(put(other, Bytes(11)));
    EXPECT_EQ(take_all(memory.receiver), 1U);
  }
  EXPECT_FALSE(hanging.finish(*slot)) << "it has to see that the datagram is lost";
  // Once the receiver has reached the cell again, all cells and buffers are in use again.
  for (int i = 0; i < 32; ++i) {
    ASSERT_TRUE(put(other, Bytes(12)));
    EXPECT_EQ(take_all(memory.receiver), 1U);
  }
  std::size_t control = 0;
  while (put(other, Bytes(13), true)) ++control;
  EXPECT_EQ(control, 16U);
  EXPECT_EQ(take_all(memory.receiver), 16U);
  std::size_t large = 0;
  while (put(other, Bytes(1'000))) ++large;
  EXPECT_EQ(large, 4U);
}

TEST(Ring, MustWakeIsTrueOnceAfterFallAsleep) {
  Memory memory(small);
  Ring sender = memory.view();
  ASSERT_TRUE(put(sender, Bytes(1)));
  EXPECT_FALSE(sender.must_wake());
  EXPECT_FALSE(memory.receiver.fall_asleep()) << "something is here";
  take_all(memory.receiver);
  EXPECT_TRUE(memory.receiver.fall_asleep());
  ASSERT_TRUE(put(sender, Bytes(1)));
  EXPECT_TRUE(sender.must_wake());
  EXPECT_FALSE(sender.must_wake());
}

TEST(Ring, OpenRefusesMemoryThatIsNotARingOfTheOwner) {
  Memory memory(small);
  const auto message = [&](std::span<std::byte> bytes, std::uint64_t job, std::uint32_t rank) {
    const auto opened = Ring::open(bytes, job, rank);
    return opened ? std::string() : opened.error().message;
  };
  EXPECT_EQ(message(memory.bytes().first(100), key, owner), "it is too short");
  EXPECT_EQ(message(memory.bytes().first(5'000), key, owner), "its end is missing");
  EXPECT_EQ(message(memory.bytes(), key + 1, owner), "it belongs to another job or rank");
  EXPECT_EQ(message(memory.bytes(), key, owner + 1), "it belongs to another job or rank");
  EXPECT_EQ(message(memory.bytes(), key, owner), "");
  memory.bytes()[0] = std::byte{0};
  EXPECT_EQ(message(memory.bytes(), key, owner), "it is not a ring of this version");
}

TEST(Ring, NextStaysWithinTheMemoryWhateverIsWrittenIntoIt) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Memory memory(small);
    Ring sender = memory.view();
    Random random(seed);
    for (int i = 0; i < 8; ++i) (void)put(sender, Bytes(random.below(1'025)));
    const auto bytes = memory.bytes();
    for (int i = 0; i < 50; ++i) {
      // Not the first line, which is read when a ring is opened.
      std::byte& hit = bytes[cache_line + random.below(bytes.size() - cache_line)];
      hit = static_cast<std::byte>(random());
    }
    for (int i = 0; i < 100; ++i) {
      if (const auto got = memory.receiver.next()) {
        EXPECT_GE(got->data(), bytes.data());
        EXPECT_LE(got->data() + got->size(), bytes.data() + bytes.size());
        memory.receiver.done();
      }
      (void)put(sender, Bytes(random.below(1'025)));
    }
  }
}

/// Each sender's datagrams come in order, unaltered, and none twice; a receiver that gives up cells at random loses
/// some.
void race(std::uint32_t senders, std::uint32_t count, bool impatient) {
  Memory memory(small);
  std::vector<std::jthread> threads;
  std::atomic<std::uint32_t> running = senders;
  std::atomic<std::uint64_t> put_in_all = 0;
  for (std::uint32_t self = 0; self < senders; ++self) {
    threads.emplace_back([&, self] {
      Ring ring = memory.view();
      Random random(self);
      for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<std::uint32_t> words(2 + random.below(random.below(4) == 0 ? 250 : 40), i);
        words[0] = self;
        const auto bytes = std::as_bytes(std::span(words));
        bool done = false;
        for (int attempt = 0; attempt < 1'000 && !done; ++attempt) {
          done = ring.put({0, i % 16 == 0, bytes.first(8), bytes.subspan(8)});
          if (!done) std::this_thread::yield();
        }
        if (done) ++put_in_all;
      }
      --running;
    });
  }
  std::vector<std::int64_t> last(senders, -1);
  std::uint64_t got_in_all = 0, wrong = 0, given_up = 0;
  Random random(4711);
  while (true) {
    const bool last_poll = running == 0;
    while (const auto got = memory.receiver.next()) {
      std::vector<std::uint32_t> words(got->size() / 4);
      std::memcpy(words.data(), got->data(), got->size());
      memory.receiver.done();
      ++got_in_all;
      const std::uint32_t from = words[0], index = words[1];
      if (from >= senders || index <= last[from]) ++wrong;
      if (!std::ranges::all_of(words.begin() + 1, words.end(), [&](std::uint32_t word) { return word == index; }))
        ++wrong;
      if (from < senders) last[from] = index;
    }
    if (impatient && memory.receiver.unfinished() && random.below(4) == 0) {
      memory.receiver.skip_unfinished();
      ++given_up;
    }
    if (last_poll) break;
    std::this_thread::yield();
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(got_in_all, put_in_all);
  EXPECT_EQ(memory.receiver.malformed(), 0U);
}

TEST(Ring, DatagramsOfManyThreadsArriveInOrderAndOnce) { race(4, 20'000, false); }
TEST(Ring, DatagramsOfManyThreadsArriveInOrderAndOnceWhileCellsAreGivenUp) { race(4, 20'000, true); }

}  // namespace ring_test
}  // namespace ayatori::wires
