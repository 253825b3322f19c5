#include "ayatori/acp/memory_use.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/heap.hpp"

namespace ayatori::acp {
namespace {

class MemoryOfProcesses : public testing::Test {
 protected:
  void SetUp() override {
    if (heap_in_use() == 0) GTEST_SKIP() << "a sanitizer's allocator does not report its memory in use";
  }

  static MemoryUse of(std::string_view wires, Rank procs, std::uint32_t ranks_per_host) {
    const auto found = memory_use(wires, procs, ranks_per_host);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(MemoryUse{});
  }
};

TEST_F(MemoryOfProcesses, DoesNotGrowWithTheirNumber) {
  for (const std::string_view wires : {"auto", "udp"}) {
    const MemoryUse few = of(wires, 1024, 64);
    const MemoryUse many = of(wires, 1U << 24, 64);
    EXPECT_GT(few.tables, 1U << 20);
    // The allocator hands out what is left of a page, or a page more.
    EXPECT_NEAR(static_cast<double>(many.tables), static_cast<double>(few.tables), 8192) << wires;
    EXPECT_NEAR(static_cast<double>(many.wires), static_cast<double>(few.wires), 8192) << wires;
    EXPECT_EQ(many.waiting, few.waiting);
  }
}

TEST_F(MemoryOfProcesses, HasWhatTheWiresNeed) {
  EXPECT_EQ(of("auto", 8, 8).waiting, 0U) << "there is no UDP within a host";
  EXPECT_GT(of("auto", 16, 8).waiting, 0U);
  EXPECT_GT(of("auto", 16, 8).wires, of("auto", 8, 8).wires);
  EXPECT_EQ(of("shm", 8, 8).wires, of("auto", 8, 8).wires);
  EXPECT_EQ(of("auto", 8, 64).wires, of("auto", 8, 8).wires) << "a host has no more ranks than the job";
  EXPECT_EQ(of("udp", 8, 8).queue_pairs, 0U);
}

TEST_F(MemoryOfProcesses, RefusesWiresThatDoNotReachAllHosts) {
  EXPECT_FALSE(memory_use("shm", 16, 8));
  EXPECT_FALSE(memory_use("carrier pigeons", 8, 8));
  EXPECT_FALSE(memory_use("udp", 1U << 20, 50'000)) << "there are not so many ports";
}

}  // namespace
}  // namespace ayatori::acp
