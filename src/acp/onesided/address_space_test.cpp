// Global addresses and locations, against each other: each of them determines the other one.

#include "ayatori/onesided/address_space.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/random.hpp"

namespace ayatori::onesided {
namespace {

constexpr Rank numbers_of_processes[] = {1, 2, 3, 4, 5, 255, 256, 257, 1'000'000, ~Rank{0}};

TEST(AddressSpace, FindReturnsTheLocationThatTheAddressWasMadeOf) {
  Random random(1);
  for (const Rank procs : numbers_of_processes) {
    const AddressSpace space(procs);
    for (int i = 0; i < 1'000; ++i) {
      const Location location{.rank = static_cast<Rank>(random.below(procs)),
                              .region = static_cast<std::uint32_t>(random.below(AddressSpace::regions)),
                              .offset = random.below(space.max_bytes() + 1)};
      const GlobalAddress address = space.of(location);
      EXPECT_NE(address, no_address);
      EXPECT_EQ(space.find(address), location) << procs << " processes";
    }
  }
}

TEST(AddressSpace, EveryNumberThatFindAcceptsIsTheAddressOfItsLocation) {
  Random random(2);
  for (const Rank procs : numbers_of_processes) {
    const AddressSpace space(procs);
    for (int i = 0; i < 1'000; ++i) {
      const GlobalAddress number = random();
      const auto location = space.find(number);
      if (!location) continue;
      EXPECT_LT(location->rank, procs);
      EXPECT_LT(location->region, AddressSpace::regions);
      EXPECT_EQ(space.of(*location), number) << procs << " processes";
    }
    EXPECT_FALSE(space.find(no_address));
  }
}

TEST(AddressSpace, AddingToAnAddressAddsToItsOffset) {
  const AddressSpace space(3);
  const GlobalAddress address = space.of({.rank = 2, .region = 7, .offset = 40});
  EXPECT_EQ(space.find(address + 24), (Location{.rank = 2, .region = 7, .offset = 64}));
}

}  // namespace
}  // namespace ayatori::onesided
