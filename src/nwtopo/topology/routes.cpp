#include <algorithm>
#include <limits>
#include <unordered_map>

#include "ayatori/topology/queries.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) { return a > too_many - b ? too_many : a + b; }

/// The remaining path to one object: the distance, and the number of shortest paths.
class PathsTo {
 public:
  virtual ~PathsTo() = default;
  [[nodiscard]] virtual std::uint32_t distance(ObjectId from) const = 0;
  [[nodiscard]] virtual std::uint64_t count(ObjectId from) = 0;
};

/// In a regular grid: with r_i links left in dimension i, (Σ r_i)! / Π r_i! orders to take them in, and twice as many
/// for each ring in which both directions are equally far.
class PathsInGrid final : public PathsTo {
 public:
  PathsInGrid(const Topology& topology, const GridShape& shape, ObjectId to)
      : topology_(topology), shape_(shape), to_(coordinates_of(topology, to)) {}

  std::uint32_t distance(ObjectId from) const override {
    std::uint32_t sum = 0;
    for (const std::uint32_t left : links_left(from)) sum += left;
    return sum;
  }

  std::uint64_t count(ObjectId from) override {
    const auto left = links_left(from);
    std::uint64_t orders = 1;
    std::uint64_t placed = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::uint32_t length = shape_.dimensions[i];
      if (shape_.periodic[i] && length > 2 && 2 * left[i] == length) orders = times_fraction(orders, 2, 1);
      for (std::uint32_t k = 1; k <= left[i]; ++k) orders = times_fraction(orders, ++placed, k);
    }
    return orders;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> links_left(ObjectId from) const {
    auto left = coordinates_of(topology_, from);
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = grid_distance(left[i], to_[i], shape_.dimensions[i], shape_.periodic[i]);
    }
    return left;
  }

  /// a · b / c, which is a whole number here.
  static std::uint64_t times_fraction(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    if (a == too_many) return a;
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b / c;
    return product >= too_many ? too_many : static_cast<std::uint64_t>(product);
  }

  const Topology& topology_;
  const GridShape& shape_;
  std::vector<std::uint32_t> to_;
};

/// Anywhere else: by a search from the target up to where the path starts, counting back along it.
class PathsBySearch final : public PathsTo {
 public:
  PathsBySearch(const Topology& topology, ObjectId from, ObjectId to)
      : topology_(topology), to_(to), search_(topology, to) {
    while (search_.distance(from) == unreachable && !search_.spread().empty()) {
    }
  }

  std::uint32_t distance(ObjectId from) const override { return search_.distance(from); }

  std::uint64_t count(ObjectId from) override {
    if (from == to_) return 1;
    if (const auto known = counts_.find(from); known != counts_.end()) return known->second;
    std::uint64_t paths = 0;
    for_each_link_up(topology_, from, [&](const TopologyLink& link) {
      if (leads_on(from, link.to)) paths = saturating_sum(paths, count(link.to));
    });
    return counts_[from] = paths;
  }

 private:
  [[nodiscard]] bool leads_on(ObjectId from, ObjectId next) const {
    return search_.distance(next) != unreachable && search_.distance(next) + 1 == search_.distance(from) &&
           (next == to_ || forwards(topology_, next));
  }

  const Topology& topology_;
  ObjectId to_;
  Search search_;
  std::unordered_map<ObjectId, std::uint64_t> counts_;
};

std::unique_ptr<PathsTo> paths_to(const Topology& topology, ObjectId from, ObjectId to) {
  const GridShape* shape = regular_grid(topology);
  const bool machines = topology.kind(from) == ObjectKind::machine && topology.kind(to) == ObjectKind::machine;
  if (shape != nullptr && machines) return std::make_unique<PathsInGrid>(topology, *shape, to);
  return std::make_unique<PathsBySearch>(topology, from, to);
}

std::uint64_t count_if_reached(PathsTo& paths, ObjectId from) {
  return paths.distance(from) == unreachable ? 0 : paths.count(from);
}

/// The link at `here` that the which-th route takes; `which` becomes the number of the route among those over that
/// link.
RouteStep take_link(const Topology& topology, PathsTo& paths, ObjectId here, ObjectId to, std::uint64_t& which) {
  for (std::uint32_t i = 0; i < topology.link_count(here); ++i) {
    const TopologyLink link = topology.link(here, i);
    const bool usable = link.state == LinkState::up && (link.to == to || forwards(topology, link.to));
    if (!usable || paths.distance(link.to) == unreachable) continue;
    if (paths.distance(link.to) + 1 != paths.distance(here)) continue;
    const std::uint64_t over_link = paths.count(link.to);
    if (which < over_link) return {here, i};
    which -= over_link;
  }
  return {};
}

}  // namespace

std::uint64_t count_routes(const Topology& part, ObjectId from, ObjectId to) {
  const Topology& topology = transit_of(part);
  const auto paths = paths_to(topology, from, to);
  return count_if_reached(*paths, from);
}

Result<std::vector<RouteStep>> shortest_route(const Topology& part, ObjectId from, ObjectId to, std::uint64_t which) {
  const Topology& topology = transit_of(part);
  const auto paths = paths_to(topology, from, to);
  const std::uint64_t count = count_if_reached(*paths, from);
  if (count == 0) return fail("no path from {} to {}", topology.name(from), topology.name(to));
  if (which >= count) {
    return fail("no route {} from {} to {}: there are {}", which, topology.name(from), topology.name(to), count);
  }
  std::vector<RouteStep> route;
  for (ObjectId here = from; here != to; here = topology.link(here, route.back().index).to) {
    route.push_back(take_link(topology, *paths, here, to, which));
  }
  return route;
}

}  // namespace ayatori
