#pragma once
/// \file
/// All that a Topology answers, as text to compare, and what must hold for every Topology.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../network/network_fixtures.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/image.hpp"
#include "link_back.hpp"

namespace ayatori {

inline TopologyPtr got(Result<TopologyPtr> topology) {
  if (!topology) throw std::runtime_error(topology.error().message);
  return std::move(*topology);
}

inline TopologyPtr image_of(std::string_view source) { return got(make_image_topology(opened(source))); }

inline std::vector<ObjectId> ids_of(const Topology& topology) {
  std::vector<ObjectId> ids;
  for (std::uint32_t height = 0; height <= topology.max_height(); ++height) {
    for (std::uint64_t i = 0; i < topology.count_at(height); ++i) ids.push_back(topology.object_at(height, i));
  }
  std::ranges::sort(ids);
  return ids;
}

inline std::vector<ObjectId> parents_of(const Topology& topology, ObjectId id) {
  std::vector<ObjectId> found;
  for (std::uint32_t i = 0; i < topology.parent_count(id); ++i) found.push_back(topology.parent(id, i));
  return found;
}

inline std::vector<ObjectId> children_of(const Topology& topology, ObjectId id) {
  std::vector<ObjectId> found;
  for (std::uint64_t i = 0; i < topology.child_count(id); ++i) found.push_back(topology.child(id, i));
  return found;
}

inline std::vector<TopologyLink> links_of(const Topology& topology, ObjectId id) {
  std::vector<TopologyLink> found;
  for (std::uint32_t i = 0; i < topology.link_count(id); ++i) found.push_back(topology.link(id, i));
  return found;
}

inline std::string as_text(const TopologyLink& link) {
  const auto nic = [](std::uint32_t number) { return number == no_nic ? "" : fmt::format("(nic {})", number); };
  return fmt::format("{}{}->{}:{}{} plane {} {} {}ns{}{}", link.from_port, nic(link.from_nic), link.to, link.to_port,
                     nic(link.to_nic), link.plane, to_string(link.rate), link.latency,
                     link.state == LinkState::up ? "" : " out", link.degraded ? " degraded" : "");
}

inline std::string as_text(const Topology& topology, ObjectId id) {
  std::string text =
      fmt::format("{} {} '{}' height {} parents {} children {}", id, to_word(topology.kind(id)), topology.name(id),
                  topology.height(id), parents_of(topology, id), children_of(topology, id));
  const ObjectKind kind = topology.kind(id);
  if (kind == ObjectKind::machine) {
    text += fmt::format(" machine {} nics {}", topology.machine_index(id), topology.nic_count(id));
    for (std::uint32_t i = 0; i < topology.nic_count(id); ++i) {
      const TopologyNic nic = topology.nic(id, i);
      text += fmt::format(" rail {} plane {}", nic.rail, nic.plane);
    }
  }
  if (kind == ObjectKind::machine || kind == ObjectKind::router) {
    text += fmt::format(" found {}", topology.find(topology.name(id)).value_or(no_object));
  }
  if (const GridShape* shape = topology.grid(id)) {
    text += fmt::format(" grid {} {} {} {} {} at", shape->dimensions, shape->periodic, shape->reference, shape->whole,
                        shape->dense);
    for (std::uint64_t point = 0; point < shape->points(); ++point) {
      text += fmt::format(" {}", topology.grid_child(id, point));
    }
    for (const ObjectId child : children_of(topology, id)) text += fmt::format(",{}", topology.grid_point(id, child));
  }
  for (const TopologyLink& link : links_of(topology, id)) text += "\n    " + as_text(link);
  return text + "\n";
}

/// Every answer but how many bytes it takes.
inline std::string as_text(const Topology& topology) {
  std::vector<std::string> planes;
  for (const Plane& plane : topology.planes()) planes.push_back(fmt::format("{}:{}", plane.name, plane.use.bits()));
  std::string text = fmt::format("{} machines of {} ids, {}planes {}\n", topology.machine_count(), topology.id_end(),
                                 topology.direct() ? "direct, " : "", fmt::join(planes, ","));
  for (std::uint64_t i = 0; i < topology.machine_count(); ++i) text += fmt::format("{} ", topology.machine(i));
  for (std::uint32_t height = 0; height <= topology.max_height() + 1; ++height) {
    text += fmt::format("\nheight {}:", height);
    for (std::uint64_t i = 0; i < topology.count_at(height); ++i) {
      text += fmt::format(" {}", topology.object_at(height, i));
    }
  }
  text += "\n";
  for (ObjectId id = 0; id < topology.id_end() + 2; ++id) {
    text += topology.contains(id) ? as_text(topology, id) : fmt::format("{} is not there\n", id);
  }
  return text;
}

inline void expect_links_lead_back(const Topology& topology, ObjectId id) {
  std::set<std::pair<ObjectId, std::uint32_t>> used;
  for (std::uint32_t i = 0; i < topology.link_count(id); ++i) {
    const TopologyLink link = topology.link(id, i);
    ASSERT_TRUE(topology.contains(link.to));
    const auto back = link_back(topology, id, i);
    ASSERT_TRUE(back) << id << " " << as_text(link);
    EXPECT_TRUE(used.emplace(link.to, *back).second) << id << " " << as_text(link);
    const TopologyLink other = topology.link(link.to, *back);
    EXPECT_EQ(other.to, id);
    EXPECT_EQ(other.rate, link.rate);
    EXPECT_EQ(other.state, link.state);
    EXPECT_EQ(link_back(topology, link.to, *back), i);
  }
}

/// What the headers guarantee, whatever the Topology.
inline void expect_consistent(const Topology& topology) {
  const auto ids = ids_of(topology);
  for (const ObjectId id : ids) {
    SCOPED_TRACE(id);
    ASSERT_TRUE(topology.contains(id));
    ASSERT_LT(id, topology.id_end());
    const auto parents = parents_of(topology, id);
    const auto children = children_of(topology, id);
    EXPECT_TRUE(std::ranges::is_sorted(parents, std::ranges::less_equal{}) || parents.size() < 2);
    EXPECT_EQ(std::set(parents.begin(), parents.end()).size(), parents.size());
    EXPECT_EQ(std::set(children.begin(), children.end()).size(), children.size());
    EXPECT_TRUE(std::ranges::is_sorted(children));
    EXPECT_EQ(topology.kind(id) == ObjectKind::machine, topology.height(id) == 0);
    EXPECT_EQ(topology.kind(id) == ObjectKind::grid, topology.grid(id) != nullptr);
    for (const ObjectId parent : parents) {
      ASSERT_TRUE(topology.contains(parent));
      EXPECT_GT(topology.height(parent), topology.height(id));
      const auto siblings = children_of(topology, parent);
      EXPECT_TRUE(std::ranges::binary_search(siblings, id));
    }
    for (const ObjectId child : children) {
      ASSERT_TRUE(topology.contains(child));
      const auto above = parents_of(topology, child);
      EXPECT_NE(std::ranges::find(above, id), above.end());
      if (const GridShape* shape = topology.grid(id)) {
        const std::uint64_t point = topology.grid_point(id, child);
        ASSERT_LT(point, shape->points());
        EXPECT_EQ(topology.grid_child(id, point), child);
      }
    }
    if (const GridShape* shape = topology.grid(id)) {
      EXPECT_EQ(shape->dense, shape->points() == children.size());
    }
    expect_links_lead_back(topology, id);
    for (const TopologyLink& link : links_of(topology, id)) {
      if (link.from_nic == no_nic) continue;
      ASSERT_EQ(topology.kind(id), ObjectKind::machine);
      ASSERT_LT(link.from_nic, topology.nic_count(id));
      EXPECT_EQ(topology.nic(id, link.from_nic).plane, link.plane);
    }
  }
  for (std::uint64_t i = 0; i < topology.machine_count(); ++i) {
    EXPECT_EQ(topology.kind(topology.machine(i)), ObjectKind::machine);
    EXPECT_EQ(topology.machine_index(topology.machine(i)), i);
    EXPECT_EQ(topology.object_at(0, i), topology.machine(i));
  }
  EXPECT_EQ(topology.count_at(0), topology.machine_count());
  EXPECT_FALSE(topology.contains(topology.id_end()));
  EXPECT_FALSE(topology.contains(no_object));
  EXPECT_EQ(topology.machine_index(topology.id_end()), no_object);
  EXPECT_FALSE(topology.find("no such name"));
}

/// In every Topology that is not a subset.
inline void expect_complete(const Topology& topology) {
  expect_consistent(topology);
  EXPECT_EQ(ids_of(topology).size(), topology.id_end());
  for (const ObjectId id : ids_of(topology)) {
    std::uint32_t highest = 0;
    for (const ObjectId child : children_of(topology, id)) highest = std::max(highest, topology.height(child));
    if (topology.kind(id) != ObjectKind::machine) {
      EXPECT_EQ(topology.height(id), highest + 1) << id;
    }
  }
}

}  // namespace ayatori
