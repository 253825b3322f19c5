#include "hierarchy.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori {

namespace {

/// A piece of a network as a network of its own, whose router i is `routers[i]` of the whole.
struct Piece {
  Network network;
  std::vector<DeviceId> routers;
};

/// The routers with the cables between them and to machines. NICs lose their names: shapes don't ask.
std::optional<Piece> cut_out(const Network& whole, std::vector<DeviceId> routers) {
  NetworkBuilder builder;
  std::unordered_map<DeviceId, NetworkBuilder::Handle> handles;
  for (const DeviceId router : routers) {
    const Device& node = whole.device(router);
    handles[router] = builder.add_router(whole.name(router), node.guid, node.port_count);
  }
  for (const DeviceId router : routers) {
    for (const Port& port : whole.ports(router)) {
      if (!port.connected()) continue;
      const Port& peer = whole.port(port.peer);
      const Device& node = whole.device(peer.device);
      if (node.kind == DeviceKind::nic && !handles.contains(peer.device)) {
        handles[peer.device] = builder.add_nic("", 0, node.port_count, whole.machine(node.machine).name, node.rail);
      }
      const auto other = handles.find(peer.device);
      if (other == handles.end()) continue;
      auto plugged = builder.connect(handles[router], port.number, other->second, peer.number, port.rate);
      if (!plugged) return std::nullopt;
    }
  }
  auto network = builder.build();
  if (!network) return std::nullopt;
  return Piece{std::move(*network), std::move(routers)};
}

class HierarchyFinder {
 public:
  explicit HierarchyFinder(const Network& network) : network_(network), graph_(network) {
    found_.height.assign(network.router_count(), 1);
  }

  [[nodiscard]] Hierarchy find();

 private:
  [[nodiscard]] std::vector<std::vector<DeviceId>> routers_by_plane() const;
  [[nodiscard]] bool take(const Network& piece, const std::vector<DeviceId>& routers);
  void take_heights(const Network& piece, const Levels& levels, const std::vector<DeviceId>& routers);
  void take_parts(const Network& piece, const std::vector<DeviceId>& routers);
  void add_group(ObjectKind kind, std::vector<DeviceId> routers, const Shape& shape = {});
  void add_dragonfly(const Shape& shape, const std::vector<DeviceId>& routers);
  void add_rows(const Shape& shape, const std::vector<DeviceId>& routers);
  void add_above(ObjectKind kind, std::size_t first);
  [[nodiscard]] ObjectKind full_or_graph(const std::vector<DeviceId>& routers) const;

  const Network& network_;
  const RouterGraph graph_;
  Hierarchy found_;
};

std::vector<std::vector<DeviceId>> HierarchyFinder::routers_by_plane() const {
  std::vector<std::vector<DeviceId>> found(network_.planes().size());
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    found[network_.device(router).plane].push_back(router);
  }
  return found;
}

void HierarchyFinder::add_group(ObjectKind kind, std::vector<DeviceId> routers, const Shape& shape) {
  found_.groups.push_back({kind, std::move(routers), {}, shape.dimensions, shape.periodic});
}

/// Whether each router is cabled to each other.
ObjectKind HierarchyFinder::full_or_graph(const std::vector<DeviceId>& routers) const {
  for (const DeviceId a : routers) {
    for (const DeviceId b : routers) {
      if (a < b && !graph_.joins(a, b)) return ObjectKind::graph;
    }
  }
  return ObjectKind::full;
}

/// An object above all groups from `first` on.
void HierarchyFinder::add_above(ObjectKind kind, std::size_t first) {
  Hierarchy::Group top;
  top.kind = kind;
  for (std::size_t i = first; i < found_.groups.size(); ++i) top.groups.push_back(i);
  found_.groups.push_back(std::move(top));
}

void HierarchyFinder::add_dragonfly(const Shape& shape, const std::vector<DeviceId>& routers) {
  const std::size_t first = found_.groups.size();
  for (const RouterGroup& group : shape.groups) {
    std::vector<DeviceId> members;
    for (const DeviceId router : group.routers) members.push_back(routers[router]);
    const ObjectKind kind = group.spines.empty() ? full_or_graph(members) : ObjectKind::graph;
    for (const DeviceId spine : group.spines) {
      members.push_back(routers[spine]);
      found_.height[routers[spine]] = 2;
    }
    add_group(kind, std::move(members));
  }
  add_above(ObjectKind::full, first);
}

void HierarchyFinder::add_rows(const Shape& shape, const std::vector<DeviceId>& routers) {
  const std::size_t first = found_.groups.size();
  std::size_t stride = shape.at.size();
  for (const std::size_t length : shape.dimensions) {
    stride /= length;
    for (std::size_t point = 0; point < shape.at.size(); ++point) {
      if (point / stride % length != 0) continue;
      std::vector<DeviceId> row;
      for (std::size_t i = 0; i < length; ++i) row.push_back(routers[shape.at[point + i * stride]]);
      const ObjectKind kind = full_or_graph(row);
      add_group(kind, std::move(row));
    }
  }
  add_above(ObjectKind::graph, first);
}

/// Of a tree: those of its levels. An idle router stands above what is below it, which may be nothing.
void HierarchyFinder::take_heights(const Network& piece, const Levels& levels, const std::vector<DeviceId>& routers) {
  const RouterGraph graph(piece);
  std::vector<DeviceId> upwards(routers.size());
  std::iota(upwards.begin(), upwards.end(), DeviceId{0});
  std::ranges::sort(upwards, {}, [&](DeviceId router) { return levels.level[router]; });
  for (const DeviceId router : upwards) {
    std::uint32_t height = levels.idle[router] ? 1U : levels.level[router] + 1U;
    for (const auto& neighbour : graph.neighbours(router)) {
      if (!levels.idle[router] || levels.level[neighbour.router] >= levels.level[router]) continue;
      height = std::max(height, found_.height[routers[neighbour.router]] + 1U);
    }
    found_.height[routers[router]] = height;
  }
}

/// Takes all routers of a piece in if together they have a shape. `routers`: what they are in the whole network.
bool HierarchyFinder::take(const Network& piece, const std::vector<DeviceId>& routers) {
  const auto declared = declared_shape(piece);
  const Shape shape = declared ? *declared : recognise(piece);
  switch (shape.kind) {
    case ShapeKind::fat_tree: {
      const auto levels = rank_levels(piece);
      if (!levels) return false;
      take_heights(piece, *levels, routers);
      return true;
    }
    case ShapeKind::grid: {
      // A subset of a grid is the box around its machines, in which all must be reachable.
      if (shape.missing_pairs > 0) return false;
      std::vector<DeviceId> at;
      for (const DeviceId router : shape.at) at.push_back(routers[router]);
      add_group(ObjectKind::grid, std::move(at), shape);
      return true;
    }
    case ShapeKind::full:
      // One router alone is a tree of one leaf, unless it is built into a machine, which then needs something above.
      if (routers.size() > 1 || network_.direct()) add_group(ObjectKind::full, routers);
      return true;
    case ShapeKind::hyperx:
      add_rows(shape, routers);
      return true;
    case ShapeKind::dragonfly:
    case ShapeKind::dragonfly_plus:
      add_dragonfly(shape, routers);
      return true;
    case ShapeKind::graph:
      break;
  }
  return false;
}

void HierarchyFinder::take_parts(const Network& piece, const std::vector<DeviceId>& routers) {
  const RouterGraph graph(piece);
  const auto starts = graph.parts();
  std::vector<DeviceId> rest;
  for (const DeviceId start : starts) {
    std::vector<DeviceId> part = graph.by_distance_from(start);
    for (DeviceId& router : part) router = routers[router];
    std::sort(part.begin(), part.end());
    bool taken = false;
    if (starts.size() > 1) {
      const auto cut = cut_out(network_, part);
      taken = cut && take(cut->network, part);
    }
    if (!taken) rest.insert(rest.end(), part.begin(), part.end());
  }
  std::sort(rest.begin(), rest.end());
  if (!rest.empty()) add_group(ObjectKind::graph, std::move(rest));
}

Hierarchy HierarchyFinder::find() {
  const auto planes = routers_by_plane();
  const auto used = std::count_if(planes.begin(), planes.end(), [](const auto& routers) { return !routers.empty(); });
  for (const auto& routers : planes) {
    if (routers.empty()) continue;
    if (used == 1) {
      if (!take(network_, routers)) take_parts(network_, routers);
      continue;
    }
    const auto piece = cut_out(network_, routers);
    if (!piece) {
      add_group(ObjectKind::graph, routers);
    } else if (!take(piece->network, routers)) {
      take_parts(piece->network, routers);
    }
  }
  return std::move(found_);
}

}  // namespace

Hierarchy hierarchy_of(const Network& network) { return HierarchyFinder(network).find(); }

}  // namespace ayatori
