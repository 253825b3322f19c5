// Coordinates against arithmetic that is as plain as can be.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "opened.hpp"

namespace {

constexpr std::array<int, 3> lengths = {5, 2, 7};

int wrapped(int coordinate, int length) { return ((coordinate % length) + length) % length; }

unsigned long id_at(const std::array<int, 3>& at) {
  return static_cast<unsigned long>((at[0] * lengths[1] + at[1]) * lengths[2] + at[2]);
}

std::array<int, 3> coordinates(const Opened& topology, nwtopo_obj_t object) {
  std::array<int, 3> found{};
  EXPECT_EQ(nwtopo_grid_get_coords(topology, object->parents[0], object, found.data()), 0) << nwtopo_error_message();
  return found;
}

TEST(GridTest, GetCoordsAndGetObjAreInverse) {
  const Opened topology("torus:5x2x7");
  nwtopo_obj_t const grid = nwtopo_topology_get_root(topology);
  for (nwtopo_obj_t machine : topology.machines()) {
    auto at = coordinates(topology, machine);
    EXPECT_EQ(id_at(at), machine->id);
    nwtopo_obj_t found = nullptr;
    ASSERT_EQ(nwtopo_grid_get_obj(topology, grid, at.data(), &found), 0);
    EXPECT_EQ(found, machine);
  }
}

TEST(GridTest, GetShiftedObjGoesAroundATorus) {
  const Opened topology("torus:5x2x7");
  nwtopo_obj_t const grid = nwtopo_topology_get_root(topology);
  const auto machines = topology.machines();
  std::mt19937 random(std::mt19937::default_seed);
  std::uniform_int_distribution<int> any_shift(-30, 30);
  for (int round = 0; round < 5000; ++round) {
    nwtopo_obj_t const from = machines[random() % machines.size()];
    std::array<int, 3> shifts = {any_shift(random), any_shift(random), any_shift(random)};
    auto expected = coordinates(topology, from);
    for (std::size_t i = 0; i < 3; ++i) expected[i] = wrapped(expected[i] + shifts[i], lengths[i]);
    nwtopo_obj_t found = nullptr;
    ASSERT_EQ(nwtopo_grid_get_shifted_obj(topology, grid, from, shifts.data(), &found), 0);
    ASSERT_EQ(found->id, id_at(expected)) << "round " << round;
    for (unsigned i = 0; i < 3; ++i) {
      ASSERT_EQ(nwtopo_grid_get_neighbor_obj(topology, grid, found, i, -shifts[i], &found), 0);
    }
    ASSERT_EQ(found, from) << "round " << round;
  }
}

TEST(GridTest, GetShiftedObjTakesTheGreatestShifts) {
  const Opened topology("torus:5x2x7");
  nwtopo_obj_t const grid = nwtopo_topology_get_root(topology);
  nwtopo_obj_t const from = nwtopo_topology_get_object_by_id(topology, 69);
  for (const int shift : {std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    for (unsigned i = 0; i < 3; ++i) {
      nwtopo_obj_t found = nullptr;
      ASSERT_EQ(nwtopo_grid_get_neighbor_obj(topology, grid, from, i, shift, &found), 0);
      const auto expected = static_cast<int>((std::int64_t{coordinates(topology, from)[i]} + shift) % lengths[i]);
      EXPECT_EQ(coordinates(topology, found)[i], wrapped(expected, lengths[i]));
    }
  }
}

TEST(GridTest, GetNeighborObjEndsAtTheEdgeOfAMesh) {
  const Opened topology("mesh:5x2x7");
  nwtopo_obj_t const grid = nwtopo_topology_get_root(topology);
  for (nwtopo_obj_t from : topology.machines()) {
    for (unsigned i = 0; i < 3; ++i) {
      for (int shift = -7; shift <= 7; ++shift) {
        auto expected = coordinates(topology, from);
        expected[i] += shift;
        const bool inside = expected[i] >= 0 && expected[i] < lengths[i];
        nwtopo_obj_t found = from;
        ASSERT_EQ(nwtopo_grid_get_neighbor_obj(topology, grid, from, i, shift, &found), inside ? 0 : -1);
        ASSERT_EQ(found == nullptr ? ~0UL : found->id, inside ? id_at(expected) : ~0UL);
      }
    }
  }
}

}  // namespace
