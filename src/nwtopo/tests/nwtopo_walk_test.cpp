// A walk in C over any topology gives what the C++ Topology of the same source says.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ayatori/sources/topology.hpp"
#include "opened.hpp"

namespace {

using ayatori::ObjectId;
using ayatori::ObjectKind;
using ayatori::Topology;

/// Source, and flags to load it with.
class WalkTest : public testing::TestWithParam<std::tuple<const char*, unsigned long>> {
 protected:
  void SetUp() override {
    auto opened = ayatori::open_topology(std::get<0>(GetParam()));
    ASSERT_TRUE(opened) << opened.error().message;
    expected_ = *opened;
    flags_ = std::get<1>(GetParam());
    topology_ = std::make_unique<Opened>(std::get<0>(GetParam()), flags_);
  }

  [[nodiscard]] bool has_machines() const { return (flags_ & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES) == 0; }
  [[nodiscard]] bool has_names() const { return (flags_ & NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES) == 0; }
  [[nodiscard]] unsigned lowest() const { return has_machines() ? 0 : 1; }

  template <typename Visit>
  void for_each_object(Visit visit) {
    for (unsigned height = lowest(); height <= expected_->max_height(); ++height) {
      for (std::uint64_t i = 0; i < expected_->count_at(height); ++i) {
        nwtopo_obj_t const object = nwtopo_topology_get_object(*topology_, height, i);
        ASSERT_NE(object, nullptr) << nwtopo_error_message();
        ASSERT_EQ(object->id, expected_->object_at(height, i));
        visit(*object);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }

  void expect_name(const char* name, ObjectId id) {
    const std::string expected = has_names() ? expected_->name(id) : "";
    EXPECT_STREQ(name, expected.empty() ? nullptr : expected.c_str());
  }

  void expect_attributes(const nwtopo_obj& object) {
    if (object.type == NWTOPO_OBJ_MACHINE) {
      EXPECT_EQ(object.attr->machine.num_nics, expected_->nic_count(object.id));
      expect_name(object.attr->machine.hostname, object.id);
    }
    if (object.type == NWTOPO_OBJ_ROUTER) expect_name(object.attr->router.name, object.id);
    if (object.type == NWTOPO_OBJ_GRID) expect_shape(object.attr->grid, *expected_->grid(object.id));
  }

  template <typename Grid>
  void expect_shape(const Grid& grid, const ayatori::GridShape& shape) {
    ASSERT_EQ(grid.num_dimensions, shape.dimensions.size());
    EXPECT_EQ(grid.dense, shape.dense);
    for (unsigned i = 0; i < grid.num_dimensions; ++i) {
      EXPECT_EQ(grid.dimensions[i], shape.dimensions[i]);
      EXPECT_EQ(grid.periodicities[i], shape.periodic[i]);
      EXPECT_EQ(grid.reference_coordinates[i], shape.reference.empty() ? 0 : shape.reference[i]);
    }
  }

  void expect_arrays(const nwtopo_obj& object) {
    if (object.type == NWTOPO_OBJ_GRID) {
      for (std::uint64_t point = 0; point < expected_->grid(object.id)->points(); ++point) {
        nwtopo_obj_t const child = object.attr->grid.map[point];
        ASSERT_EQ(child == nullptr ? ayatori::no_object : child->id, expected_->grid_child(object.id, point));
      }
    }
    if (object.type == NWTOPO_OBJ_GRAPH) expect_edges(object);
  }

  void expect_edges(const nwtopo_obj& graph) {
    std::set<std::pair<ObjectId, ObjectId>> joined;
    for (unsigned i = 0; i < graph.num_children; ++i) {
      const ObjectId from = expected_->child(graph.id, i);
      for (std::uint32_t j = 0; j < expected_->link_count(from); ++j) {
        const ObjectId to = expected_->link(from, j).to;
        const auto children = std::span(graph.children, graph.num_children);
        if (std::ranges::any_of(children, [&](nwtopo_obj_t child) { return child->id == to; })) {
          joined.insert({std::min(from, to), std::max(from, to)});
        }
      }
    }
    std::set<std::pair<ObjectId, ObjectId>> listed;
    for (unsigned i = 0; i < graph.attr->graph.num_edges; ++i) {
      const auto& ends = graph.attr->graph.edges[i]->nodes;
      listed.insert({std::min(ends[0]->id, ends[1]->id), std::max(ends[0]->id, ends[1]->id)});
    }
    EXPECT_EQ(listed, joined);
    EXPECT_EQ(listed.size(), graph.attr->graph.num_edges) << "an edge is listed twice";
  }

  ayatori::TopologyPtr expected_;
  unsigned long flags_ = 0;
  std::unique_ptr<Opened> topology_;
};

TEST_P(WalkTest, ObjectsHaveTheFieldsThatTheTopologyHas) {
  for_each_object([&](const nwtopo_obj& object) {
    EXPECT_EQ(object.type, static_cast<int>(expected_->kind(object.id)));
    EXPECT_EQ(object.height, expected_->height(object.id));
    EXPECT_EQ(object.num_parents, expected_->parent_count(object.id));
    EXPECT_EQ(object.num_children, expected_->child_count(object.id));
    EXPECT_EQ(object.userdata, nullptr);
    expect_attributes(object);
  });
}

TEST_P(WalkTest, GetObjectByIdAndByNameAgree) {
  for_each_object([&](nwtopo_obj& object) {
    EXPECT_EQ(nwtopo_topology_get_object_by_id(*topology_, object.id), &object);
    const std::string name = expected_->name(object.id);
    if (object.type > NWTOPO_OBJ_ROUTER || name.empty() || expected_->find(name) != object.id) return;
    EXPECT_EQ(nwtopo_topology_get_object_by_name(*topology_, name.c_str()), &object);
  });
}

TEST_P(WalkTest, AllAncestorsExist) {
  for_each_object([&](const nwtopo_obj& object) {
    ASSERT_EQ(object.parents == nullptr, object.num_parents == 0);
    for (unsigned i = 0; i < object.num_parents; ++i) {
      ASSERT_EQ(object.parents[i]->id, expected_->parent(object.id, i));
      ASSERT_GT(object.parents[i]->height, object.height);
      ASSERT_EQ(object.parents[i], nwtopo_topology_get_object_by_id(*topology_, object.parents[i]->id));
    }
  });
}

TEST_P(WalkTest, GetChildAndGetChildrenAgree) {
  const bool small = nwtopo_topology_get_num_objects(*topology_, 0) < NWTOPO_SMALL / 2;
  for_each_object([&](nwtopo_obj& object) {
    const bool machines =
        expected_->child_count(object.id) > 0 && expected_->kind(expected_->child(object.id, 0)) == ObjectKind::machine;
    if (object.num_children == 0 || (machines && !has_machines())) {
      ASSERT_EQ(object.children, nullptr);
      ASSERT_EQ(nwtopo_obj_get_children(*topology_, &object), nullptr);
      return;
    }
    if (small) {
      ASSERT_NE(object.children, nullptr);
    }
    nwtopo_obj_t const last = nwtopo_obj_get_child(*topology_, &object, object.num_children - 1);
    nwtopo_obj_t* const children = nwtopo_obj_get_children(*topology_, &object);
    ASSERT_EQ(children, object.children);
    ASSERT_EQ(children[object.num_children - 1], last);
    for (unsigned i = 0; i < object.num_children; ++i) {
      ASSERT_EQ(children[i]->id, expected_->child(object.id, i));
      ASSERT_EQ(children[i], nwtopo_obj_get_child(*topology_, &object, i));
      ASSERT_EQ(children[i], nwtopo_topology_get_object_by_id(*topology_, children[i]->id));
    }
    expect_arrays(object);
  });
}

TEST_P(WalkTest, GetNumObjectsAndGetRootMatchTheTopology) {
  EXPECT_EQ(nwtopo_topology_get_max_height(*topology_), expected_->max_height());
  for (unsigned height = lowest(); height <= expected_->max_height() + 1; ++height) {
    const std::uint64_t expected = height > expected_->max_height() ? 0 : expected_->count_at(height);
    EXPECT_EQ(nwtopo_topology_get_num_objects(*topology_, height), expected);
  }
  std::vector<ObjectId> parentless;
  for (unsigned height = 0; height <= expected_->max_height(); ++height) {
    for (std::uint64_t i = 0; i < expected_->count_at(height); ++i) {
      const ObjectId id = expected_->object_at(height, i);
      if (expected_->parent_count(id) == 0) parentless.push_back(id);
    }
  }
  nwtopo_obj_t const root = nwtopo_topology_get_root(*topology_);
  ASSERT_EQ(root != nullptr, parentless.size() == 1 && expected_->max_height() > 0);
  if (root != nullptr) {
    EXPECT_EQ(root->id, parentless[0]);
  }
}

TEST_P(WalkTest, GetLinkMatchesTheTopology) {
  for_each_object([&](nwtopo_obj& object) {
    ASSERT_EQ(nwtopo_obj_get_num_links(*topology_, &object), expected_->link_count(object.id));
    for (std::uint32_t i = 0; i < expected_->link_count(object.id); ++i) {
      const ayatori::TopologyLink expected = expected_->link(object.id, i);
      nwtopo_link link{};
      ASSERT_EQ(nwtopo_obj_get_link(*topology_, &object, i, &link), 0);
      ASSERT_EQ(link.from, &object);
      if (link.to != nullptr) {
        ASSERT_EQ(link.to->id, expected.to);
      } else {
        ASSERT_TRUE(!has_machines() && expected_->kind(expected.to) == ObjectKind::machine);
      }
      ASSERT_EQ(link.from_port, expected.from_port);
      ASSERT_EQ(link.to_port, expected.to_port);
      ASSERT_STREQ(nwtopo_topology_get_plane_name(*topology_, link.plane),
                   expected_->planes()[expected.plane].name.c_str());
      ASSERT_DOUBLE_EQ(link.bandwidth, expected.rate.bytes_per_second());
      ASSERT_DOUBLE_EQ(link.lane_speed * link.width, link.width == 0 ? 0 : link.bandwidth);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Sources, WalkTest,
    testing::Combine(testing::Values("torus:4x6x16", "mesh:3x3", "torus:2x2x2x2", "torus:1", "torus:1x1x5",
                                     "mesh:24x18x16,rate=5GB/s", "torus:4x4,hosts=2", "mesh:20x20,hosts=12",
                                     "fattree:K=6,levels=2,nodes=30", "xgft:h=3;m=3,4,2;w=1,2,3;p=1,2,1",
                                     "full:8,hosts=4", "full:5,hosts=1"),
                     testing::Values(0UL, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES, NWTOPO_TOPOLOGY_FLAG_NO_MACHINES)));

}  // namespace
