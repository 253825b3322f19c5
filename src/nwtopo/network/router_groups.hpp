#pragma once
/// \file
/// Parts the routers of a dragonfly or dragonfly+ into its groups, from who is whose neighbour.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adjacency.hpp"
#include "full_rows.hpp"

namespace ayatori {

/// The group of each router, numbered from 0.
using GroupNumbers = std::vector<std::uint32_t>;

[[nodiscard]] std::vector<std::vector<DeviceId>> members_of(const GroupNumbers& group);

/// How well a partition is that of a dragonfly.
struct DragonflyFit {
  std::size_t defects = 0;     ///< pairs of a group, and pairs of groups, that should have a cable and have none
  std::vector<FullRows> rows;  ///< by group, if routers are joined along the rows of a HyperX instead of all
};

/// Nothing if it is not a dragonfly: two or more groups of nearly equal size; most pairs of groups joined, and at most
/// half of the pairs of routers between two groups; within the groups most pairs of routers joined, or (Cray's Aries)
/// most pairs within the rows of a HyperX, which is then the same in all groups. "Most" are three quarters. With
/// defects, or unequal numbers of cables between groups, there must be three groups of four, and for groups of less
/// than six, as many cables between most pairs of groups.
[[nodiscard]] std::optional<DragonflyFit> fit_dragonfly(const RouterGraph& cables, const Adjacency& graph,
                                                        const GroupNumbers& group);

/// The best of the partitions that three methods find: joining routers whose cables share many neighbours, growing
/// cliques, and, if neither finds one without defects in a network of at most 128 routers, search (for a limited number
/// of steps) for the partition into groups of one size that are fully joined, with equally many cables between any two.
/// Nothing if it is not a dragonfly (Kim et al., "Technology-driven, highly-scalable dragonfly topology", 2008).
[[nodiscard]] std::optional<GroupNumbers> dragonfly_groups(const RouterGraph& graph, const Adjacency& adjacency);

struct LeafAndSpineGroups {
  GroupNumbers group;
  std::vector<bool> is_leaf;
};

/// The groups of a dragonfly+ (Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters", 2017): leaves,
/// which have hosts or are cabled like those that have, and spines, each leaf of a group joined to each of its spines,
/// and spines of most pairs of groups joined. At most a quarter of the pairs may have no cable, and a few cables may be
/// elsewhere. Without any host, those routers are taken as leaves whose number of neighbours makes a dragonfly+ without
/// defects.
[[nodiscard]] std::optional<LeafAndSpineGroups> dragonfly_plus_groups(const Adjacency& graph,
                                                                      std::span<const std::uint32_t> hosts);

}  // namespace ayatori
