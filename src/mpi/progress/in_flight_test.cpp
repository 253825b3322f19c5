#include "ayatori/progress/in_flight.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ayatori {
namespace {

TEST(InFlight, SaysWhenTheFirstIsThereAndCountsEachOnce) {
  InFlight requests;
  EXPECT_TRUE(requests.add(7));
  EXPECT_FALSE(requests.add(8));
  EXPECT_FALSE(requests.add(7));
  EXPECT_EQ(requests.count(), 2U);
  requests.remove(9);
  requests.remove(7);
  requests.remove(8);
  EXPECT_EQ(requests.count(), 0U);
  EXPECT_TRUE(requests.add(8));
}

TEST(InFlight, ThreadsAddAndRemoveTheirOwn) {
  InFlight requests;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t i = 0; i < 1000; ++i) {
          requests.add(thread * 1000 + i);
          if (i >= 5) requests.remove(thread * 1000 + i - 5);
        }
      });
    }
  }
  EXPECT_EQ(requests.count(), 20U);
}

}  // namespace
}  // namespace ayatori
