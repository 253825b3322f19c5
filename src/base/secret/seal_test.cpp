#include "ayatori/secret/seal.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/secret/replay_window.hpp"

namespace ayatori {
namespace {

const DerivedKey key = derived_key({}, "test");

std::vector<std::byte> random_bytes(Random& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::vector<std::byte> sealed(Seal& seal, std::span<const std::byte> contents, std::size_t first_piece) {
  const SealHeader header = seal.close(contents.first(first_piece), contents.subspan(first_piece));
  std::vector<std::byte> all(header.begin(), header.end());
  all.insert(all.end(), contents.begin(), contents.end());
  return all;
}

TEST(Seal, OpensWhatWasClosedInOneOrTwoPieces) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Seal sender(key, 7, seed);
    Seal receiver(key, 8, 1);
    const auto contents = random_bytes(random, 1 + random.below(9'000));
    const auto datagram = sealed(sender, contents, random.below(contents.size() + 1));
    const auto opened = receiver.open(datagram);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->number, seed);
    EXPECT_EQ(opened->from, 7U);
    EXPECT_TRUE(std::ranges::equal(opened->contents, contents));
    EXPECT_EQ(claimed_sender(datagram), 7U);
  }
}

TEST(Seal, RefusesEveryDatagramThatWasChangedOrIsOfAnotherKey) {
  Random random(1);
  Seal sender(key, 7, 1);
  Seal receiver(key, 8, 1);
  Seal stranger(derived_key({}, "other"), 7, 1);
  const auto contents = random_bytes(random, 100);
  EXPECT_FALSE(receiver.open(sealed(stranger, contents, 0)));
  const auto good = sealed(sender, contents, 50);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    auto changed = good;
    changed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(receiver.open(changed)) << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(receiver.open(std::span(good).first(size)));
  auto longer = good;
  longer.push_back({});
  EXPECT_FALSE(receiver.open(longer));
  EXPECT_TRUE(receiver.open(good));
}

/// RFC 4418, appendix: key "abcdefghijklmnop", nonce "bcdefghi", which has 8 bytes where ours have 12; so only that two
/// tags of one message differ is checked here, and that equal nonces give equal tags.
TEST(Seal, TagsDependOnTheNonce) {
  Random random(2);
  const auto contents = random_bytes(random, 64);
  Seal one(key, 7, 5);
  Seal same(key, 7, 5);
  const SealHeader first = one.close(contents);
  EXPECT_EQ(first, same.close(contents));
  const SealHeader second = one.close(contents);
  EXPECT_FALSE(std::equal(first.begin() + 12, first.end(), second.begin() + 12));
}

TEST(ReplayWindow, TakesEachNumberOnce) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ReplayWindow window;
    std::set<std::uint64_t> taken;
    std::uint64_t highest = 1'000'000 + random.below(10'000);
    for (int i = 0; i < 5'000; ++i) {
      const std::uint64_t far = random.below(50) == 0 ? 3'000 : 200;
      const std::uint64_t number = highest + 100 - random.below(far);
      const bool is_new = window.take(number);
      if (is_new) {
        EXPECT_TRUE(taken.insert(number).second) << number << " twice";
        highest = std::max(highest, number);
      } else {
        EXPECT_TRUE(taken.contains(number) || highest - number >= ReplayWindow::bits - 64) << number << " not once";
      }
    }
  }
}

}  // namespace
}  // namespace ayatori
