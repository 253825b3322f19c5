#include <algorithm>

#include "ayatori/topology/queries.hpp"

namespace ayatori {

namespace {

void sort_unique(std::vector<ObjectId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// The object and everything above it, by rising id.
std::vector<ObjectId> with_ancestors(const Topology& topology, ObjectId object) {
  std::vector<ObjectId> all = {object};
  std::vector<ObjectId> level = all;
  while (!level.empty()) {
    std::vector<ObjectId> above;
    for (const ObjectId id : level) {
      for (std::uint32_t i = 0; i < topology.parent_count(id); ++i) above.push_back(topology.parent(id, i));
    }
    sort_unique(above);
    all.insert(all.end(), above.begin(), above.end());
    level = std::move(above);
  }
  sort_unique(all);
  return all;
}

}  // namespace

std::vector<ObjectId> common_ancestors(const Topology& topology, ObjectId a, ObjectId b) {
  const auto above_a = with_ancestors(topology, a);
  const auto above_b = with_ancestors(topology, b);
  std::vector<ObjectId> common;
  std::ranges::set_intersection(above_a, above_b, std::back_inserter(common));
  if (common.empty()) return common;
  const auto height = [&](ObjectId id) { return topology.height(id); };
  const std::uint32_t lowest = height(std::ranges::min(common, {}, height));
  std::erase_if(common, [&](ObjectId id) { return height(id) != lowest; });
  return common;
}

std::vector<ObjectId> machines_under(const Topology& topology, ObjectId object) {
  std::vector<ObjectId> machines;
  std::vector<ObjectId> level = {object};
  while (!level.empty()) {
    std::vector<ObjectId> below;
    for (const ObjectId id : level) {
      if (topology.kind(id) == ObjectKind::machine) machines.push_back(id);
      for (std::uint64_t i = 0; i < topology.child_count(id); ++i) below.push_back(topology.child(id, i));
    }
    sort_unique(below);
    level = std::move(below);
  }
  sort_unique(machines);
  return machines;
}

}  // namespace ayatori
