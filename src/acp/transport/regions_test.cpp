#include "ayatori/transport/regions.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <stdexcept>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace regions_test {

using namespace std::chrono_literals;

/// A process that publishes regions, and looks for those of others.
struct Process final : Application {
  Process(PeerId self, std::uint32_t entries, std::uint32_t fetches)
      : published(8, self), known(entries, fetches, 1000), endpoint(made(self)) {}

  Endpoint made(PeerId self) {
    auto result = Endpoint::make({.self = self, .key = 9, .seed = self}, {}, *this);
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    ++reads;
    return published.read(range);
  }
  void completed(Token token) override { note(known.completed(token)); }
  void refused(Token token) override { note(known.failed(token)); }
  void note(const std::optional<KnownRegions::Fetched>& fetched) {
    ASSERT_TRUE(fetched);
    last = fetched;
  }

  PublishedRegions published;
  KnownRegions known;
  Endpoint endpoint;
  std::optional<KnownRegions::Fetched> last;
  int reads = 0;
};

struct Neighbours {
  Neighbours(std::uint32_t entries, std::uint32_t fetches) : asker(0, entries, fetches), owner(1, 1, 1) {}

  void settle() {
    for (int i = 0; i < 3; ++i) {
      carry(asker.endpoint, owner.endpoint);
      carry(owner.endpoint, asker.endpoint);
    }
  }
  void carry(Endpoint& from, Endpoint& to) const {
    while (const auto datagram = from.next_packet(now)) {
      std::vector<std::byte> copy(datagram->header.begin(), datagram->header.end());
      copy.insert(copy.end(), datagram->payload.begin(), datagram->payload.end());
      to.receive(now, copy);
    }
  }

  Process asker, owner;
  Time now{1ms};
};

TEST(PublishedRegions, KeysAreNeverUsedTwice) {
  PublishedRegions regions(2, 1);
  ASSERT_EQ(regions.add(100, 50), 0U);
  ASSERT_EQ(regions.add(200, 60), 1U);
  EXPECT_FALSE(regions.add(300, 70));
  const Region old = *regions.at(0);
  EXPECT_EQ(regions.holding({old.key, 40, 10})->base, 100U);
  EXPECT_FALSE(regions.holding({old.key, 40, 11}));
  EXPECT_FALSE(regions.holding({old.key, ~std::uint64_t{0}, 1}));
  EXPECT_TRUE(regions.remove(0));
  EXPECT_FALSE(regions.remove(0));
  EXPECT_FALSE(regions.remove(2));
  ASSERT_EQ(regions.add(300, 70), 0U);
  EXPECT_FALSE(regions.holding({old.key, 0, 1}));
  EXPECT_NE(regions.at(0)->key, old.key);
}

TEST(KnownRegions, FetchIsRepeatedWhenTheOwnerRefusesTheKey) {
  Neighbours both(4, 2);
  ASSERT_EQ(both.owner.published.add(4096, 100), 0U);
  const KnownRegions::Name name{1, 0};
  EXPECT_FALSE(both.asker.known.find(name));
  ASSERT_TRUE(both.asker.known.fetch(both.now, both.asker.endpoint, name));
  ASSERT_TRUE(both.asker.known.fetch(both.now, both.asker.endpoint, name)) << "it is under way";
  both.settle();
  EXPECT_EQ(both.owner.reads, 1);
  const auto known = both.asker.known.find(name);
  ASSERT_TRUE(known);
  EXPECT_EQ(known, both.owner.published.at(0));
  // The owner registers something else in its place.
  both.owner.published.remove(0);
  ASSERT_EQ(both.owner.published.add(8192, 10), 0U);
  both.asker.known.forget(name, known->key);
  EXPECT_FALSE(both.asker.known.find(name));
  ASSERT_TRUE(both.asker.known.fetch(both.now, both.asker.endpoint, name));
  both.settle();
  EXPECT_EQ(both.asker.known.find(name)->base, 8192U);
  both.asker.known.forget(name, known->key);
  EXPECT_TRUE(both.asker.known.find(name)) << "a late refusal speaks of the old key";
  both.asker.known.forget(1);
  EXPECT_FALSE(both.asker.known.find(name));
}

TEST(KnownRegions, IndexWithoutARegionIsNotKept) {
  Neighbours both(4, 1);
  for (const std::uint32_t index : {0U, 100U}) {  // free; not in the directory
    ASSERT_TRUE(both.asker.known.fetch(both.now, both.asker.endpoint, {1, index}));
    EXPECT_FALSE(both.asker.known.fetch(both.now, both.asker.endpoint, {1, index + 1})) << "one fetch at a time";
    both.asker.last.reset();
    both.settle();
    ASSERT_TRUE(both.asker.last);
    EXPECT_EQ(both.asker.last->name, (KnownRegions::Name{1, index}));
    EXPECT_FALSE(both.asker.last->region);
    EXPECT_FALSE(both.asker.known.find({1, index}));
  }
}

/// The cache against a list in the order of use.
TEST(KnownRegions, EntryUsedLongestAgoIsReplacedFirst) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto entries = static_cast<std::uint32_t>(1 + random.below(6));
    Neighbours both(entries, 1);
    while (both.owner.published.add(random.below(1000), 1)) {
    }
    std::list<std::uint32_t> model;  // the one used last in front
    for (int step = 0; step < 300; ++step) {
      const auto index = static_cast<std::uint32_t>(random.below(8));
      const KnownRegions::Name name{1, index};
      const auto known = both.asker.known.find(name);
      ASSERT_EQ(known.has_value(), (std::ranges::find(model, index) != model.end()));
      model.remove(index);
      if (known && random.below(4) == 0) {
        both.asker.known.forget(name, known->key);
        continue;
      }
      model.push_front(index);
      if (!known) {
        ASSERT_TRUE(both.asker.known.fetch(both.now, both.asker.endpoint, name));
        both.settle();
      }
      if (model.size() > entries) model.pop_back();
    }
  }
}

}  // namespace regions_test
}  // namespace ayatori::transport
