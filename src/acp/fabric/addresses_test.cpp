#include "addresses.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ayatori/base/random.hpp"

namespace ayatori::fabric {
namespace addresses_test {

constexpr Rank many = 100'000;
constexpr Bytes name_bytes = 16;

TEST(Addresses, OfRanksInOrderTakeNoMemory) {
  Addresses addresses;
  for (Rank rank = 0; rank < many; ++rank) EXPECT_EQ(addresses.insert({rank, 1}), rank);
  EXPECT_EQ(addresses.memory_bytes(), 0);
  for (Rank rank = 0; rank < many; rank += 997) {
    EXPECT_EQ(addresses.at(rank), (Address{rank, 1}));
    EXPECT_EQ(addresses.find({rank, 1}), rank);
    EXPECT_EQ(addresses.find({rank, 0}), std::nullopt);
  }
  EXPECT_EQ(addresses.at(many), std::nullopt);
  EXPECT_EQ(addresses.insert({7, 1}), 7);
}

TEST(Addresses, OfRanksInAnyOrderTakeAnAddressAnd16Bytes) {
  Addresses addresses;
  for (Rank rank = many; rank-- > 0;) addresses.insert({rank, 0});
  EXPECT_LE(addresses.memory_bytes(), many * (name_bytes + 16));
  EXPECT_GE(addresses.memory_bytes(), many * sizeof(Address));
}

TEST(Addresses, AgreesWithAMap) {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    Addresses addresses;
    std::map<std::uint64_t, Address> model;
    const std::uint64_t ranks = 1 + random.below(60);
    const std::uint64_t in_order = random.below(20);
    for (Rank rank = 0; rank < in_order; ++rank) model[addresses.insert({rank, 0})] = {rank, 0};
    for (int step = 0; step < 500; ++step) {
      const Address address{static_cast<Rank>(random.below(ranks)), static_cast<EndpointNumber>(random.below(2))};
      if (random.below(3) > 0) {
        const std::uint64_t index = addresses.insert(address);
        if (model.contains(index)) ASSERT_EQ(model[index], address) << "round " << round << ", step " << step;
        model[index] = address;
      } else if (const auto index = addresses.find(address); index && *index >= in_order) {
        addresses.remove(*index);
        // What follows from the rule stays.
        if (addresses.find(address) != index) model.erase(*index);
      }
      for (const auto& [index, there] : model) {
        ASSERT_EQ(addresses.at(index), there) << "round " << round << ", step " << step;
        ASSERT_EQ(addresses.find(there), index) << "round " << round << ", step " << step;
      }
    }
  }
}

}  // namespace addresses_test
}  // namespace ayatori::fabric
