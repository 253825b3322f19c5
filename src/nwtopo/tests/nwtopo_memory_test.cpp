// What topologies take, as nwtopo_topology_get_memory() counts it, and whether it counts right. Nothing is timed.

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// The index-th machine of an access pattern.
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

/// What `scenario` returns in a process of its own, whose heap no other test has used; what does not fit becomes 0.
double in_child(const std::function<double()>& scenario) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    const double result = scenario();
    ::_exit(::write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  ::close(ends[1]);
  double result = 0;
  const bool reported = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(reported && status == 0) << "the child failed";
  return result;
}

double grown_since(std::size_t before) { return static_cast<double>(anonymous_pages()) - static_cast<double>(before); }

/// Bytes of the kernel's count for each of a source's machines, when it is loaded and none has been looked at.
double load_per_machine(const std::string& source) {
  return in_child([&] {
    ::malloc_trim(0);
    const std::size_t before = anonymous_pages();
    const Opened topology(source);
    return grown_since(before) / static_cast<double>(nwtopo_topology_get_num_objects(topology, 0));
  });
}

/// Routers exist before, so that it is machines that are counted; in random order, which is the dearest.
double touch_per_machine(const std::string& source, unsigned long flags) {
  return in_child([&] {
    const Opened topology(source, flags);
    for (unsigned height = 1; height <= nwtopo_topology_get_max_height(topology); ++height) {
      const unsigned long count = nwtopo_topology_get_num_objects(topology, height);
      for (unsigned long i = 0; i < count; ++i) nwtopo_topology_get_object(topology, height, i);
    }
    std::vector<unsigned long> order(nwtopo_topology_get_num_objects(topology, 0));
    for (unsigned long i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    ::malloc_trim(0);
    const std::size_t before = anonymous_pages();
    for (const unsigned long index : order) nwtopo_topology_get_object(topology, 0, index);
    return grown_since(before) / static_cast<double>(order.size());
  });
}

/// Formulas and a network without a regular shape, one to eight rails.
constexpr const char* many_networks[] = {"torus:48x54x32",           "xgft:h=2;m=32,200;w=1,16",
                                         "xgft:h=2;m=32,200;w=2,16", "xgft:h=2;m=32,200;w=4,16",
                                         "xgft:h=2;m=32,200;w=8,8",  "dragonfly:g=17,a=16,p=16,h=1"};

TEST(MemoryTest, ATouchedMachineTakesAtMost64BytesByTheKernelsCountAnd96WithItsName) {
  for (const char* source : many_networks) {
    // The kernel counts whole pages: of objects, of their table, and of arrays of parents.
    constexpr double pages = 3 * 4096.0 / 4000;
    const double bytes = touch_per_machine(source, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
    EXPECT_LE(bytes, 64 + pages) << source;
    EXPECT_GT(bytes, 56) << source;
    // What docs/nwtopo.md says: a machine by default. The names here have up to ten letters.
    const double with_name = touch_per_machine(source, 0);
    EXPECT_LE(with_name, 96 + pages) << source;
    EXPECT_GT(with_name, 80) << source;
  }
}

TEST(MemoryTest, AHostWithFourRailsTakesAtMost128BytesByTheKernelsCount) {
  // Full and half bisection, two and three levels; the last has so few hosts that free pages of the heap would show.
  for (const char* source : {"xgft:h=3;m=22,22,20;w=4,22,22", "xgft:h=3;m=32,32,30;w=4,32,32",
                             "xgft:h=3;m=22,22,20;w=4,11,11", "xgft:h=2;m=32,200;w=4,16", "xgft:h=2;m=20,240;w=4,20"}) {
    const double bytes = load_per_machine(source);
    EXPECT_LE(bytes, 128) << source;
    EXPECT_GT(bytes, 0) << source;
  }
}

TEST(MemoryTest, AReusedHalfOfAHundredThousandMachinesTakesHalfAMegabyteByTheKernelsCount) {
  const double grown = in_child([] {
    const Opened base("xgft:h=3;m=22,22,207;w=1,22,22", NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
    auto machines = base.machines();
    std::shuffle(machines.begin(), machines.end(), std::mt19937(7));
    machines.resize(machines.size() / 2);
    ::malloc_trim(0);
    const std::size_t before = anonymous_pages();
    const Opened half(base, std::move(machines), NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
    return grown_since(before);
  });
  EXPECT_LE(grown, 500'000);
  EXPECT_GT(grown, 0);
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
