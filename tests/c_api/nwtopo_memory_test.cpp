// What topologies take, as nwtopo_topology_get_memory() counts it, and whether it counts right. Nothing is timed.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>

#include "opened.hpp"

namespace {

constexpr const char* k_computer = "torus:48x54x32";
constexpr unsigned long k_machines = 82944;
constexpr double mebibyte = 1 << 20;

std::size_t taken(const Opened& topology) { return topology.memory().private_; }

TEST(MemoryTest, LoadTakesNextToNothing) {
  EXPECT_LE(static_cast<double>(taken(Opened(k_computer))), 0.1 * mebibyte);
  EXPECT_LE(static_cast<double>(taken(Opened("torus:100x100x100"))), mebibyte);
}

TEST(MemoryTest, TheFixedPartIsTheSameForAll) {
  const Opened small("torus:2x3x2");
  EXPECT_EQ(small.memory().fixed, Opened(k_computer).memory().fixed);
  EXPECT_EQ(small.memory().shared, 0U);
}

TEST(MemoryTest, NoMachinesTakesAtMost100Bytes) {
  for (const char* source : {"torus:2x3x2", k_computer, "torus:100x100x100", "mesh:2x2x2x2x2x2x2"}) {
    const Opened topology(source, NWTOPO_TOPOLOGY_FLAG_NO_MACHINES);
    ASSERT_NE(nwtopo_topology_get_root(topology), nullptr);
    EXPECT_LE(taken(topology), 100U) << source;
  }
}

TEST(MemoryTest, AllObjectsAndTheArrayOfChildrenTakeAtMost5MiB) {
  const Opened topology(k_computer, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  for (unsigned long id = 0; id < k_machines; id += 2) nwtopo_topology_get_object_by_id(topology, id);
  ASSERT_NE(nwtopo_obj_get_children(topology, nwtopo_topology_get_root(topology)), nullptr);
  EXPECT_LE(static_cast<double>(taken(topology)), 5.1 * mebibyte);
}

/// The index-th machine of a way to touch them.
using Pattern = std::function<unsigned long(unsigned long index)>;

void expect_little_for_each(const char* name, unsigned long count, const Pattern& pattern) {
  const Opened topology(k_computer, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  const std::size_t before = taken(topology);
  for (unsigned long i = 0; i < count; ++i) {
    const unsigned long id = pattern(i);
    ASSERT_LT(id, k_machines);
    nwtopo_topology_get_object_by_id(topology, id);
    // Pages come whole; from here on they weigh less than the bytes that are left.
    if ((i + 1) % 4096 == 0 && i + 1 >= 8192) {
      ASSERT_LE(taken(topology) - before, 64 * (i + 1)) << name;
    }
  }
}

TEST(MemoryTest, AtMost64BytesATouchedMachine) {
  std::vector<unsigned long> shuffled(k_machines);
  for (unsigned long i = 0; i < k_machines; ++i) shuffled[i] = i;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
  expect_little_for_each("by rising id", k_machines, [](unsigned long i) { return i; });
  expect_little_for_each("by falling id", k_machines, [](unsigned long i) { return k_machines - 1 - i; });
  expect_little_for_each("scattered", k_machines, [&](unsigned long i) { return shuffled[i]; });
  expect_little_for_each("every seventh", k_machines / 7, [](unsigned long i) { return i * 7; });
  expect_little_for_each("a plane", 48 * 54, [](unsigned long i) { return i * 32; });
  expect_little_for_each("blocks", k_machines / 4, [](unsigned long i) { return i / 16 * 64 + i % 16; });
}

TEST(MemoryTest, ASubsetOfTheSameSizeSharesTheMachines) {
  const Opened base(k_computer, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  const auto machines = base.machines();
  const std::size_t base_before = taken(base);
  const Opened same(base, machines, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
  for (unsigned long id = 0; id < k_machines; ++id) {
    ASSERT_EQ(nwtopo_topology_get_object_by_id(same, id), machines[id]);
  }
  EXPECT_LE(static_cast<double>(taken(same)), 0.1 * mebibyte);
  EXPECT_EQ(taken(base), base_before);
}

TEST(MemoryTest, SharedMachinesOutliveTheirBase) {
  Opened base(k_computer, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  const auto machines = base.machines();
  const Opened same(base, machines, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
  base.destroy();
  EXPECT_EQ(nwtopo_topology_get_object_by_id(same, 4711), machines[4711]);
  EXPECT_EQ(machines[4711]->parents[0]->type, NWTOPO_OBJ_GRID);
  EXPECT_GE(taken(same), 56 * k_machines);  // now they are its own
}

#ifdef USUAL_ALLOCATOR

/// What the system says that this process has in memory, files apart. (Private_Dirty would do as well, but loses pages
/// that the kernel moves while others are short of memory.)
std::size_t anonymous_pages() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::string key;
  std::size_t kibibytes = 0;
  while (rollup >> key) {
    if (key == "Anonymous:" && rollup >> kibibytes) return kibibytes << 10;
  }
  ADD_FAILURE() << "no Anonymous in /proc/self/smaps_rollup";
  return 0;
}

void expect_honest(const char* source, unsigned long flags, const std::function<void(const Opened&)>& use) {
  ::malloc_trim(0);
  const std::size_t before = anonymous_pages();
  const Opened topology(source, flags);
  use(topology);
  const nwtopo_memory memory = topology.memory();
  const auto grown = static_cast<double>(anonymous_pages()) - static_cast<double>(before);
  const auto claimed = static_cast<double>(memory.fixed + memory.private_);
  // The heap's own pages, which other tests leave in any state.
  constexpr double noise = 160 << 10;
  EXPECT_NEAR(claimed, grown, noise + 0.01 * grown) << source;
}

void touch_all(const Opened& topology) {
  const unsigned long count = nwtopo_topology_get_num_objects(topology, 0);
  for (unsigned long i = 0; i < count; ++i) nwtopo_topology_get_object(topology, 0, i);
}

void touch_and_fill(const Opened& topology) {
  touch_all(topology);
  nwtopo_obj_get_children(topology, nwtopo_topology_get_root(topology));
}

TEST(MemoryTest, GetMemoryAgreesWithTheKernel) {
  expect_honest("torus:100x100x100", 0, [](const Opened&) {});
  expect_honest(k_computer, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES, touch_all);
  expect_honest(k_computer, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES, touch_and_fill);
  expect_honest(k_computer, 0, touch_all);
  expect_honest("torus:60x60x60", 0, touch_and_fill);
}

#endif

}  // namespace
