// Puts and gets on a network that keeps every datagram it ever carried, and may deliver it again at any time.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::transport {
namespace operations_test {

using namespace std::chrono_literals;

constexpr std::uint64_t key_of_memory = 5;

/// Memory that peers may use, and what became of the operations that started here.
struct Memory final : Application {
  explicit Memory(std::size_t size) : bytes(size) {}

  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
  void room() override { ++rooms; }

  [[nodiscard]] bool holds(const RemoteRange& range) const {
    return range.key == key_of_memory && range.offset <= bytes.size() && range.size <= bytes.size() - range.offset;
  }
  bool write(PeerId, const RemoteRange& range, std::span<const std::byte> from) override {
    if (!holds(range)) return false;
    std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(range.offset));
    ++writes;
    return true;
  }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    if (!holds(range)) return std::nullopt;
    return std::span<const std::byte>(bytes).subspan(range.offset, range.size);
  }
  void completed(Token token) override { ++ended[token].completed; }
  void refused(Token token) override { ++ended[token].refused; }
  void failed(Token token) override { ++ended[token].failed; }
  void lost(PeerId peer, Time) override { lost_peers.push_back(peer); }

  struct End {
    int completed = 0, refused = 0, failed = 0;
  };

  std::vector<std::byte> bytes;
  std::map<Token, End> ended;
  std::vector<PeerId> lost_peers;
  int rooms = 0;
  int writes = 0;
};

Options small() {
  Options options;
  options.datagram_bytes = 192;
  options.operations = 4;
  options.targets = 2;
  options.initiators = 2;
  options.retransmission.longest_timeout = 2ms;
  return options;
}

struct Process {
  Process(PeerId self, const Options& options, Duration clock_ahead = {})
      : above(4096), endpoint(made(self, options, above)), ahead(clock_ahead) {}

  static Endpoint made(PeerId self, const Options& options, Application& above) {
    auto result = Endpoint::make({.self = self, .key = 9, .seed = self}, options, above);
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  Memory above;
  Endpoint endpoint;
  Duration ahead;
};

/// Remembers all that was ever sent.
struct Hoard {
  struct Item {
    PeerId to;
    std::vector<std::byte> bytes;
  };

  Hoard(PeerId count, const Options& options) {
    for (PeerId self = 0; self < count; ++self) {
      processes.push_back(std::make_unique<Process>(self, options, Duration(self * 3'000'000)));
    }
  }

  [[nodiscard]] Time clock(PeerId of) const { return now + processes[of]->ahead; }

  void collect() {
    for (auto& process : processes) {
      const PeerId self = static_cast<PeerId>(&process - processes.data());
      while (const auto datagram = process->endpoint.next_packet(clock(self))) {
        items.push_back({datagram->to, {datagram->header.begin(), datagram->header.end()}});
        items.back().bytes.insert(items.back().bytes.end(), datagram->payload.begin(), datagram->payload.end());
        fresh.push_back(items.size() - 1);
      }
    }
  }

  void deliver(std::size_t item) {
    const Item copy = items[item];
    processes[copy.to]->endpoint.receive(clock(copy.to), copy.bytes);
  }

  void deliver_all() {
    for (collect(); !fresh.empty(); collect()) {
      for (const std::size_t item : std::exchange(fresh, {})) deliver(item);
    }
  }

  void pass(Duration time) {
    now += time;
    for (PeerId self = 0; self < processes.size(); ++self) {
      if (processes[self]->endpoint.next_deadline() <= clock(self)) processes[self]->endpoint.advance(clock(self));
    }
  }

  /// Something happens to one of the datagrams, new or old.
  void let_something_happen(Random& random) {
    collect();
    if (random.below(3) == 0 && !items.empty()) deliver(random.below(items.size()));
    if (fresh.empty() || random.below(3) == 0) return pass(Duration(random.below(400'000)));
    const std::size_t which = random.below(fresh.size());
    const std::size_t item = fresh[which];
    fresh.erase(fresh.begin() + static_cast<std::ptrdiff_t>(which));
    if (random.below(5) != 0) deliver(item);
  }

  Time now{1s};
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<Item> items;
  std::vector<std::size_t> fresh;  // not delivered yet
};

Options with_chunks(std::uint32_t count) {
  Options options = small();
  options.operations = count;
  return options;
}

/// The window of a new target is 16 packets, of which a quarter shares an answer.
TEST(Puts, ChunksSentTogetherShareAnswers) {
  Hoard hoard(2, with_chunks(32));
  const std::vector<std::byte> bytes(2'000);  // 16 chunks of 132 bytes
  Process& initiator = *hoard.processes[1];
  ASSERT_TRUE(initiator.endpoint.put(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 7));
  hoard.deliver_all();
  EXPECT_EQ(initiator.above.ended[7].completed, 1);
  EXPECT_EQ(initiator.endpoint.statistics().operation_packets, 16U);
  EXPECT_EQ(std::ranges::count(hoard.items, PeerId{1}, &Hoard::Item::to), 4);
}

TEST(Puts, AnswerThatWaitsComesAlsoIfTheNextChunkIsLost) {
  Hoard hoard(2, with_chunks(32));
  const std::vector<std::byte> bytes(300);  // three chunks, which share an answer
  Process& initiator = *hoard.processes[1];
  ASSERT_TRUE(initiator.endpoint.put(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 7));
  hoard.collect();
  ASSERT_EQ(hoard.fresh.size(), 3U);
  hoard.fresh.pop_back();  // lost
  hoard.deliver_all();
  EXPECT_EQ(hoard.items.size(), 3U) << "an answer did not wait";
  hoard.pass(100us);
  hoard.deliver_all();
  EXPECT_EQ(hoard.items.size(), 4U);
  for (int i = 0; i < 100 && initiator.above.ended.empty(); ++i) {
    hoard.pass(100us);
    hoard.deliver_all();
  }
  EXPECT_EQ(initiator.above.ended[7].completed, 1);
  EXPECT_EQ(initiator.endpoint.statistics().operations_again, 1U) << "only the chunk that was lost goes again";
}

/// Four processes and the owner itself write to places of an owner's memory, one at a time for each place. Between
/// writes, a place holds what was written last, whatever old datagrams come.
TEST(Puts, LateDuplicateNeverUndoesALaterPut) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Hoard hoard(5, small());
    Memory& owner = hoard.processes[0]->above;
    struct Place {
      std::vector<std::byte> before, after;
      PeerId writer = 0;
      Token token = 0;
    };
    constexpr std::size_t place_bytes = 300;  // three packets
    std::vector<Place> places(5);
    for (Place& place : places) place.before = place.after = std::vector<std::byte>(place_bytes);
    Token next_token = 1;
    for (int step = 0; step < 1500; ++step) {
      const std::size_t which = random.below(places.size());
      Place& place = places[which];
      if (place.token == 0) {
        const auto writer = static_cast<PeerId>(random.below(5));
        place.after.assign(place_bytes, static_cast<std::byte>(random()));
        if (writer == 0) {
          std::ranges::copy(place.after, owner.bytes.begin() + static_cast<std::ptrdiff_t>(which * place_bytes));
          place.before = place.after;
        } else if (hoard.processes[writer]->endpoint.put(hoard.clock(writer), 0, {key_of_memory, which * place_bytes},
                                                         place.after, next_token)) {
          place.writer = writer;
          place.token = next_token++;
        } else {
          place.after = place.before;
        }
      }
      for (int i = 0; i < 6; ++i) hoard.let_something_happen(random);
      for (std::size_t at = 0; at < places.size(); ++at) {
        Place& checked = places[at];
        if (checked.token != 0 && hoard.processes[checked.writer]->above.ended.contains(checked.token)) {
          ASSERT_EQ(hoard.processes[checked.writer]->above.ended[checked.token].completed, 1);
          checked.before = checked.after;
          checked.token = 0;
        }
        for (std::size_t i = 0; i < place_bytes; ++i) {
          const std::byte is = owner.bytes[at * place_bytes + i];
          ASSERT_TRUE(is == checked.before[i] || (checked.token != 0 && is == checked.after[i])) << "step " << step;
        }
      }
    }
    EXPECT_GT(next_token, 50U);
    EXPECT_GT(hoard.processes[0]->endpoint.statistics().stale_puts, 100U);
  }
}

TEST(Puts, NotCompletedWhileALaterCopyIsInFlight) {
  Hoard hoard(2, small());
  Memory& owner = hoard.processes[0]->above;
  const std::vector<std::byte> bytes(10, std::byte{3});
  ASSERT_TRUE(hoard.processes[1]->endpoint.put(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 1));
  hoard.collect();
  hoard.deliver(0);
  hoard.collect();   // item 1 is the answer
  hoard.pass(10ms);  // too long for the initiator
  hoard.collect();   // item 2 is the second copy
  ASSERT_EQ(hoard.items.size(), 3U);
  hoard.deliver(1);
  EXPECT_TRUE(hoard.processes[1]->above.ended.empty());
  hoard.deliver(2);
  hoard.deliver_all();
  EXPECT_EQ(hoard.processes[1]->above.ended[1].completed, 1);
  owner.bytes.assign(10, std::byte{4});
  for (std::size_t item = 0; item < hoard.items.size(); ++item) hoard.deliver(item);
  EXPECT_EQ(owner.bytes, std::vector<std::byte>(10, std::byte{4}));
}

TEST(Gets, ContentsAreRightUnderDuplicatesAndReordering) {
  Random random(7);
  Hoard hoard(3, small());
  std::uint64_t got = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    Memory& owner = hoard.processes[0]->above;
    for (std::byte& value : owner.bytes) value = static_cast<std::byte>(random());
    const auto reader = static_cast<PeerId>(1 + random.below(2));
    std::vector<std::byte> into(1 + random.below(1000));
    const std::size_t offset = random.below(3000);
    ASSERT_TRUE(hoard.processes[reader]->endpoint.get(hoard.clock(reader), 0, {key_of_memory, offset}, into, round));
    Memory& above = hoard.processes[reader]->above;
    for (int i = 0; i < 100'000 && !above.ended.contains(round); ++i) hoard.let_something_happen(random);
    ASSERT_EQ(above.ended[round].completed, 1);
    EXPECT_TRUE(std::equal(into.begin(), into.end(), owner.bytes.begin() + static_cast<std::ptrdiff_t>(offset)));
    ++got;
  }
  EXPECT_EQ(got, 300U);
}

TEST(Operations, TargetKeepsOnlyAFloor) {
  Hoard hoard(2, {});
  const std::vector<std::byte> bytes(4000, std::byte{3});
  ASSERT_TRUE(hoard.processes[1]->endpoint.put(hoard.clock(1), 0, {key_of_memory, 10}, bytes, 1));
  EXPECT_FALSE(hoard.processes[1]->endpoint.fully_closed());
  hoard.deliver_all();
  EXPECT_EQ(hoard.processes[1]->above.ended[1].completed, 1);
  EXPECT_EQ(hoard.processes[0]->endpoint.incoming_contexts(), 0U);
  EXPECT_TRUE(hoard.processes[0]->endpoint.fully_closed());
  EXPECT_TRUE(hoard.processes[1]->endpoint.fully_closed());
  // Whoever takes over its rank starts above all numbers that it let through.
  const Epoch floor = hoard.processes[0]->endpoint.retire(hoard.now);
  Memory successor(4096);
  Endpoint endpoint = *Endpoint::make({.self = 0, .key = 9, .seed = 0, .floor = floor}, {}, successor);
  for (const auto& item : hoard.items) {
    if (item.to == 0) endpoint.receive(hoard.now, item.bytes);
  }
  EXPECT_EQ(successor.writes, 0);
}

TEST(Operations, RefusalOfTheTargetIsReported) {
  Hoard hoard(2, small());
  std::vector<std::byte> bytes(3000);
  Endpoint& endpoint = hoard.processes[1]->endpoint;
  ASSERT_TRUE(endpoint.put(hoard.clock(1), 0, {key_of_memory, 2000}, bytes, 1));  // reaches over the end
  ASSERT_TRUE(endpoint.get(hoard.clock(1), 0, {key_of_memory + 1, 0}, bytes, 2));
  hoard.deliver_all();
  EXPECT_EQ(hoard.processes[1]->above.ended[1].refused, 1);
  EXPECT_EQ(hoard.processes[1]->above.ended[2].refused, 1);
  EXPECT_TRUE(endpoint.fully_closed());
}

TEST(Operations, LostPeerFailsThem) {
  Options options = small();
  options.give_up_after = 1s;
  Hoard hoard(2, options);
  std::vector<std::byte> bytes(3000);
  Endpoint& endpoint = hoard.processes[1]->endpoint;
  ASSERT_TRUE(endpoint.put(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 1));
  ASSERT_TRUE(endpoint.get(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 2));
  for (int i = 0; i < 10'000 && hoard.processes[1]->above.lost_peers.empty(); ++i) {
    hoard.collect();
    hoard.pass(1ms);
  }
  EXPECT_EQ(hoard.processes[1]->above.lost_peers, std::vector<PeerId>{0});
  EXPECT_EQ(hoard.processes[1]->above.ended[1].failed, 1);
  EXPECT_EQ(hoard.processes[1]->above.ended[2].failed, 1);
  EXPECT_TRUE(endpoint.fully_closed());
}

TEST(Operations, RefusedWhileAllSlotsAreBusyAndAcceptedAfterwards) {
  Hoard hoard(2, small());
  std::vector<std::byte> bytes(10);
  Endpoint& endpoint = hoard.processes[1]->endpoint;
  for (Token token = 0; token < 4; ++token) {
    ASSERT_TRUE(endpoint.put(hoard.clock(1), 0, {key_of_memory, 10 * token}, bytes, token));
  }
  EXPECT_FALSE(endpoint.put(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 4));
  hoard.deliver_all();
  EXPECT_GT(hoard.processes[1]->above.rooms, 0);
  EXPECT_TRUE(endpoint.put(hoard.clock(1), 0, {key_of_memory, 0}, bytes, 4));
}

}  // namespace operations_test
}  // namespace ayatori::transport
