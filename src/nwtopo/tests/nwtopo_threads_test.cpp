// Many threads at one topology; what ThreadSanitizer looks at in `./run test`.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cerrno>
#include <numeric>
#include <random>
#include <thread>

#include "opened.hpp"

namespace {

constexpr unsigned thread_count = 4;

/// Runs body(thread number) in all threads at once.
template <typename Body>
void in_threads(Body body) {
  std::barrier start(thread_count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadsTest, GetObjectByIdGivesAllThreadsTheSameObjects) {
  const Opened topology("torus:20x20x20");
  constexpr unsigned long count = 8000;
  std::vector<std::vector<nwtopo_obj_t>> seen(thread_count, std::vector<nwtopo_obj_t>(count));
  in_threads([&](unsigned thread) {
    std::mt19937 random(thread / 2);  // two each go the same way at the same time
    std::vector<unsigned long> ids(count);
    std::iota(ids.begin(), ids.end(), 0);
    std::ranges::shuffle(ids, random);
    for (const unsigned long id : ids) {
      nwtopo_obj_t const object = nwtopo_topology_get_object_by_id(topology, id);
      ASSERT_TRUE(object->id == id && object->parents[0]->type == NWTOPO_OBJ_GRID && object->attr->machine.hostname);
      seen[thread][id] = object;
    }
  });
  for (const auto& objects : seen) EXPECT_EQ(objects, seen[0]);
}

TEST(ThreadsTest, GetChildrenMayRunConcurrentlyWithReaders) {
  const Opened topology("torus:20x20x20", NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  std::vector<nwtopo_obj_t*> arrays(thread_count);
  in_threads([&](unsigned thread) {
    for (unsigned long i = 0; i < 4000; ++i) {
      const unsigned long id = (i * 7 + thread * 31) % 8000;
      ASSERT_EQ(nwtopo_topology_get_object_by_id(topology, id)->id, id);
      if (i != 1000 + thread * 100) continue;
      arrays[thread] = nwtopo_obj_get_children(topology, nwtopo_topology_get_root(topology));
    }
    for (unsigned long i = 0; i < 8000; ++i) {
      ASSERT_EQ(nwtopo_topology_get_object_by_id(topology, i), arrays[thread][i]);
    }
  });
  for (nwtopo_obj_t* array : arrays) EXPECT_EQ(array, arrays[0]);
}

TEST(ThreadsTest, GridAndLinkFunctionsMayRunAtOnce) {
  const Opened topology("torus:20x20x20");
  in_threads([&](unsigned thread) {
    nwtopo_obj_t at = nwtopo_topology_get_object_by_id(topology, thread);
    nwtopo_obj_t const grid = at->parents[0];
    std::mt19937 random(thread);
    for (int step = 0; step < 2000; ++step) {
      const auto direction = static_cast<unsigned>(random() % 3);
      ASSERT_EQ(nwtopo_grid_get_neighbor_obj(topology, grid, at, direction, random() % 2 == 0 ? 1 : -1, &at), 0);
      std::array<int, 3> coords{};
      ASSERT_EQ(nwtopo_grid_get_coords(topology, grid, at, coords.data()), 0);
      nwtopo_obj_t found = nullptr;
      ASSERT_EQ(nwtopo_grid_get_obj(topology, grid, coords.data(), &found), 0);
      ASSERT_EQ(found, at);
      nwtopo_link link{};
      ASSERT_EQ(nwtopo_obj_get_link(topology, at, random() % 6, &link), 0);
    }
  });
}

TEST(ThreadsTest, EachThreadHasItsOwnErrorMessage) {
  const Opened topology("torus:4x4");
  in_threads([&](unsigned thread) {
    const std::string name = "nobody" + std::to_string(thread);
    for (int i = 0; i < 200; ++i) {
      errno = 0;
      ASSERT_EQ(nwtopo_topology_get_object_by_name(topology, name.c_str()), nullptr);
      ASSERT_EQ(errno, ENOENT);
      ASSERT_NE(std::string(nwtopo_error_message()).find(name), std::string::npos);
    }
  });
}

TEST(ThreadsTest, InitAndDestroyMayRunAtOnce) {
  in_threads([&](unsigned) {
    for (int i = 0; i < 50; ++i) {
      const Opened topology("torus:8x8");
      ASSERT_EQ(nwtopo_topology_get_object_by_id(topology, 63)->num_parents, 1U);
    }
  });
}

TEST(ThreadsTest, SubsetsShareTheMachinesOfTheirBase) {
  const Opened base("torus:20x20x20");
  in_threads([&](unsigned thread) {
    const auto machines = base.machines();
    const Opened same(base, machines, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
    for (unsigned long id = thread; id < 8000; id += 3) {
      ASSERT_EQ(nwtopo_topology_get_object_by_id(same, id), machines[id]);
    }
  });
}

}  // namespace
