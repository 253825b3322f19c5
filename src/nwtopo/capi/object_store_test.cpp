#include "object_store.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ayatori/base/random.hpp"
#include "ayatori/topology/grid.hpp"

namespace ayatori::capi {

namespace {

/// A topology spelled out object by object: machines first, then whatever lies above them.
class SpelledOut final : public Topology {
 public:
  struct Object {
    ObjectKind kind = ObjectKind::machine;
    std::uint32_t height = 0;
    std::vector<ObjectId> children;
    std::vector<ObjectId> parents;
    std::vector<ObjectId> cables;
  };

  ObjectId add(ObjectKind kind, std::uint32_t height, const std::vector<ObjectId>& children) {
    for (const ObjectId child : children) objects_[child].parents.push_back(objects_.size());
    objects_.push_back({kind, height, children, {}, {}});
    return objects_.size() - 1;
  }
  void connect(ObjectId a, ObjectId b) {
    objects_[a].cables.push_back(b);
    objects_[b].cables.push_back(a);
  }
  bool direct() const override { return false; }
  GridShape shape;
  std::map<std::uint64_t, ObjectId> places;

  ObjectId id_end() const override { return objects_.size(); }
  bool contains(ObjectId id) const override { return id < objects_.size(); }
  std::uint64_t machine_count() const override { return count_at(0); }
  ObjectId machine(std::uint64_t index) const override { return index; }
  std::uint64_t machine_index(ObjectId id) const override { return id < count_at(0) ? id : no_object; }
  std::uint32_t max_height() const override { return objects_.back().height; }
  std::uint64_t count_at(std::uint32_t height) const override {
    return static_cast<std::uint64_t>(std::ranges::count(objects_, height, &Object::height));
  }
  ObjectId object_at(std::uint32_t height, std::uint64_t index) const override {
    const auto first = std::ranges::find(objects_, height, &Object::height);
    return static_cast<ObjectId>(first - objects_.begin()) + index;
  }
  ObjectKind kind(ObjectId id) const override { return objects_[id].kind; }
  std::uint32_t height(ObjectId id) const override { return objects_[id].height; }
  std::uint32_t parent_count(ObjectId id) const override {
    return static_cast<std::uint32_t>(objects_[id].parents.size());
  }
  ObjectId parent(ObjectId id, std::uint32_t index) const override { return objects_[id].parents[index]; }
  std::uint64_t child_count(ObjectId id) const override { return objects_[id].children.size(); }
  ObjectId child(ObjectId id, std::uint64_t index) const override { return objects_[id].children[index]; }
  std::string name(ObjectId id) const override { return fmt::format("object {}", id); }
  std::optional<ObjectId> find(std::string_view) const override { return std::nullopt; }
  std::uint32_t nic_count(ObjectId id) const override { return 1 + id % 2; }
  TopologyNic nic(ObjectId, std::uint32_t index) const override { return {.rail = index}; }
  Guid router_guid(ObjectId) const override { return 0; }
  std::span<const Plane> planes() const override { return {}; }
  const GridShape* grid(ObjectId id) const override { return kind(id) == ObjectKind::grid ? &shape : nullptr; }
  ObjectId grid_child(ObjectId, std::uint64_t point) const override {
    return places.contains(point) ? places.at(point) : no_object;
  }
  std::uint64_t grid_point(ObjectId, ObjectId child) const override {
    return std::ranges::find(places, child, [](const auto& place) { return place.second; })->first;
  }
  std::uint32_t link_count(ObjectId id) const override {
    return static_cast<std::uint32_t>(objects_[id].cables.size());
  }
  TopologyLink link(ObjectId id, std::uint32_t index) const override {
    TopologyLink link;
    link.to = objects_[id].cables[index];
    return link;
  }
  std::size_t shared_bytes() const override { return 0; }
  std::size_t private_bytes() const override { return 0; }

 private:
  std::vector<Object> objects_;
};

constexpr ObjectStore::Wanted all{};
constexpr ObjectStore::Wanted nameless{.machines = true, .names = false};
constexpr ObjectStore::Wanted no_machines{.machines = false, .names = true};

/// Two hosts on each of two leaves under two spines: machines 0 to 3, leaves 4 and 5, spines 6 and 7.
std::shared_ptr<SpelledOut> fat_tree() {
  auto tree = std::make_shared<SpelledOut>();
  for (int host = 0; host < 4; ++host) tree->add(ObjectKind::machine, 0, {});
  tree->add(ObjectKind::router, 1, {0, 1});
  tree->add(ObjectKind::router, 1, {2, 3});
  tree->add(ObjectKind::router, 2, {4, 5});
  tree->add(ObjectKind::router, 2, {4, 5});
  return tree;
}

/// Routers 0 to 3 in a ring, doubly cabled between 2 and 3, under the graph 4; no machines.
std::shared_ptr<SpelledOut> ring() {
  auto ring = std::make_shared<SpelledOut>();
  for (int router = 0; router < 4; ++router) ring->add(ObjectKind::router, 1, {});
  ring->add(ObjectKind::graph, 2, {0, 1, 2, 3});
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {3, 2}, {2, 3}, {0, 3}}) ring->connect(a, b);
  return ring;
}

TopologyPtr torus(std::uint32_t length) {
  GridFormula formula;
  formula.dimensions = {length, length, length};
  formula.periodic = {true, true, true};
  return make_grid_topology(std::move(formula));
}

}  // namespace

TEST(ObjectStoreTest, GetMakesAllParentsExist) {
  ObjectStore store(fat_tree(), all);
  nwtopo_obj_t const host = store.get(3);
  ASSERT_EQ(host->num_parents, 1U);
  nwtopo_obj_t const leaf = host->parents[0];
  EXPECT_EQ(leaf->id, 5U);
  ASSERT_EQ(leaf->num_parents, 2U);
  EXPECT_EQ(leaf->parents[0], store.get(6));
  EXPECT_EQ(leaf->parents[1], store.get(7));
  EXPECT_EQ(leaf->parents[1]->parents, nullptr);
  EXPECT_STREQ(leaf->attr->router.name, "object 5");
  EXPECT_STREQ(host->attr->machine.hostname, "object 3");
}

TEST(ObjectStoreTest, SiblingsShareTheirParents) {
  ObjectStore store(fat_tree(), all);
  EXPECT_EQ(store.get(0)->parents, store.get(1)->parents);
  EXPECT_EQ(store.get(4)->parents, store.get(5)->parents);
  EXPECT_NE(store.get(0)->parents, store.get(2)->parents);
}

TEST(ObjectStoreTest, WithoutNamesMachinesShareAttributes) {
  ObjectStore store(fat_tree(), nameless);
  EXPECT_EQ(store.get(0)->attr, store.get(2)->attr);
  EXPECT_NE(store.get(0)->attr, store.get(1)->attr) << "one has a NIC, the other two";
  EXPECT_EQ(store.get(1)->attr->machine.num_nics, 2U);
  EXPECT_EQ(store.get(4)->attr->router.name, nullptr);
}

TEST(ObjectStoreTest, WithoutMachinesRoutersStay) {
  ObjectStore store(fat_tree(), no_machines);
  EXPECT_EQ(store.get(0), nullptr);
  EXPECT_EQ(store.children(4), nullptr);
  EXPECT_EQ(store.get(4)->num_children, 2U);
  EXPECT_EQ(store.children(7)[1], store.get(5));
}

TEST(ObjectStoreTest, ChildrenFillsEachEdgeOfAGraphOnce) {
  ObjectStore store(ring(), all);
  nwtopo_obj_t const graph = store.get(4);
  ASSERT_EQ(graph->attr->graph.num_edges, 4U);
  EXPECT_EQ(graph->attr->graph.edges, nullptr);
  ASSERT_EQ(store.children(4)[3]->id, 3U);
  std::vector<std::pair<unsigned long, unsigned long>> edges;
  for (unsigned i = 0; i < 4; ++i) {
    const auto& ends = graph->attr->graph.edges[i]->nodes;
    edges.emplace_back(ends[0]->id, ends[1]->id);
  }
  EXPECT_EQ(edges, (std::vector<std::pair<unsigned long, unsigned long>>{{0, 1}, {0, 3}, {1, 2}, {2, 3}}));
}

TEST(ObjectStoreTest, ASparseGridHasHoles) {
  auto sparse = std::make_shared<SpelledOut>();
  for (int machine = 0; machine < 3; ++machine) sparse->add(ObjectKind::machine, 0, {});
  sparse->add(ObjectKind::grid, 1, {0, 1, 2});
  sparse->shape = {{2, 3}, {true, false}, {4, 0}, false};
  sparse->places = {{0, 2}, {4, 0}, {5, 1}};
  ObjectStore store(sparse, all);
  nwtopo_obj_t const grid = store.get(3);
  EXPECT_FALSE(grid->attr->grid.dense);
  EXPECT_EQ(grid->attr->grid.reference_coordinates[0], 4U);
  EXPECT_TRUE(grid->attr->grid.periodicities[0]);
  ASSERT_NE(store.children(3), nullptr);
  const std::vector<nwtopo_obj_t> expected = {store.get(2), nullptr, nullptr, nullptr, store.get(0), store.get(1)};
  EXPECT_EQ(std::vector(grid->attr->grid.map, grid->attr->grid.map + 6), expected);
}

TEST(ObjectStoreTest, IdOfKnowsOnlyItsOwnPointers) {
  ObjectStore store(torus(20), all);
  ObjectStore other(torus(20), all);
  nwtopo_obj_t const object = store.get(17);
  nwtopo_obj local{};
  EXPECT_EQ(store.id_of(object), 17U);
  EXPECT_EQ(store.id_of(object->parents[0]), 8000U);
  EXPECT_EQ(store.id_of(other.get(17)), no_object);
  EXPECT_EQ(store.id_of(&local), no_object);
  EXPECT_EQ(store.id_of(nullptr), no_object);
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  EXPECT_EQ(store.id_of(reinterpret_cast<nwtopo_obj_t>(address + 8)), no_object);
  EXPECT_EQ(store.id_of(reinterpret_cast<nwtopo_obj_t>(address + 56)), no_object) << "not there yet";
  EXPECT_EQ(store.id_of(reinterpret_cast<nwtopo_obj_t>(address - 112)), no_object);
}

/// Objects in any order, and the switch from slots to the array of children at any time.
TEST(ObjectStoreTest, GetGivesTheSameObjectForAnIdInAllThreads) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto length = static_cast<std::uint32_t>(1 + random.below(24));
    const std::uint64_t machines = std::uint64_t{length} * length * length;
    ObjectStore store(torus(length), nameless);
    std::map<ObjectId, nwtopo_obj_t> seen;
    const std::uint64_t touches = random.below(3 * machines + 1);
    const std::uint64_t filled_at = random.below(4 * machines);
    for (std::uint64_t i = 0; i < touches; ++i) {
      if (i == filled_at) {
        ASSERT_NE(store.children(machines), nullptr);
      }
      const ObjectId id = random.below(machines + 1);
      nwtopo_obj_t const object = store.get(id);
      ASSERT_EQ(object->id, id) << "seed " << seed;
      ASSERT_EQ(seen.try_emplace(id, object).first->second, object) << "seed " << seed;
      ASSERT_EQ(store.id_of(object), id) << "seed " << seed;
    }
    nwtopo_obj_t* const children = store.children(machines);
    for (const auto& [id, object] : seen) {
      if (id != machines) {
        ASSERT_EQ(children[id], object) << "seed " << seed;
      }
    }
  }
}

TEST(ObjectStoreTest, ASubsetShowsTheMachinesOfItsBase) {
  const TopologyPtr grid = torus(18);
  const auto base = std::make_shared<ObjectStore>(grid, all);
  ObjectStore subset(grid, all, ObjectStore::machines_of(base));
  EXPECT_EQ(subset.get(5), base->get(5));
  EXPECT_NE(subset.get(5832), base->get(5832));
  EXPECT_EQ(subset.children(5832)[99], base->get(99));
  EXPECT_NE(subset.children(5832), base->children(5832));
  EXPECT_EQ(subset.id_of(base->get(5)->parents[0]), 5832U) << "the base's grid stands for the subset's";
}

}  // namespace ayatori::capi
