// Distances between many objects: breadth-first search over the routers from 64 places at a time (Then et al., "The
// More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014).

#include <algorithm>
#include <bit>
#include <map>

#include "ayatori/topology/queries.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t no_number = ~std::uint32_t{0};

/// What packets may go through, by dense numbers, and the links that are up between them.
class ForwardingGraph {
 public:
  explicit ForwardingGraph(const Topology& topology) : first_{0} {
    for (std::uint32_t height = topology.direct() ? 0 : 1; height <= topology.max_height(); ++height) {
      const std::uint64_t count = topology.count_at(height);
      for (std::uint64_t i = 0; i < count; ++i) {
        const ObjectId id = topology.object_at(height, i);
        if (!forwards(topology, id)) continue;
        ids_.push_back(id);
      }
    }
    std::ranges::sort(ids_);
    for (const ObjectId id : ids_) {
      for_each_link_up(topology, id, [&](const TopologyLink& link) {
        if (const std::uint32_t number = number_of(link.to); number != no_number) neighbours_.push_back(number);
      });
      const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(first_.back());
      std::sort(begin, neighbours_.end());
      neighbours_.erase(std::unique(begin, neighbours_.end()), neighbours_.end());
      first_.push_back(neighbours_.size());
    }
  }

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  /// no_number for what does not forward.
  [[nodiscard]] std::uint32_t number_of(ObjectId id) const {
    const auto found = std::ranges::lower_bound(ids_, id);
    return found == ids_.end() || *found != id ? no_number : static_cast<std::uint32_t>(found - ids_.begin());
  }
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::size_t number) const {
    return std::span(neighbours_).subspan(first_[number], first_[number + 1] - first_[number]);
  }

 private:
  std::vector<ObjectId> ids_;  // rising: an array by id would be as long as the greatest id of a small subset
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> neighbours_;
};

/// Where an object stands in that graph: at itself or, a machine, one link away from its routers. Machines with the
/// same routers are at one place.
struct Place {
  std::vector<std::uint32_t> ends;
  std::uint32_t links = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

class DistanceMatrix {
 public:
  DistanceMatrix(const Topology& topology, std::span<const ObjectId> objects)
      : topology_(topology), objects_(objects), graph_(topology) {}

  [[nodiscard]] std::vector<std::uint32_t> compute();

 private:
  using Mask = std::uint64_t;  // a bit for each place of a batch
  static constexpr std::size_t batch_size = 64;

  [[nodiscard]] Place place_of(ObjectId object) const;
  void number_places();
  void search_from(std::size_t first, std::size_t count);
  [[nodiscard]] bool spread();
  void note_arrivals(std::size_t first, std::uint32_t distance);
  [[nodiscard]] std::vector<std::uint32_t> by_object() const;
  void join_back_to_back(std::vector<std::uint32_t>& matrix) const;

  const Topology& topology_;
  std::span<const ObjectId> objects_;
  ForwardingGraph graph_;
  std::map<Place, std::uint32_t> numbers_;
  std::vector<const Place*> places_;
  std::vector<std::uint32_t> place_of_object_;
  std::vector<std::uint32_t> between_;  // places, row-major
  // Of the batch: which of its places have been seen at a router, are new there, and have arrived at a place.
  std::vector<Mask> seen_;
  std::vector<Mask> newest_;
  std::vector<Mask> next_;
  std::vector<Mask> arrived_;
};

Place DistanceMatrix::place_of(ObjectId object) const {
  if (const std::uint32_t number = graph_.number_of(object); number != no_number) return {{number}, 0};
  Place place{{}, 1};
  for_each_link_up(topology_, object, [&](const TopologyLink& link) {
    if (graph_.number_of(link.to) != no_number) place.ends.push_back(graph_.number_of(link.to));
  });
  std::ranges::sort(place.ends);
  place.ends.erase(std::ranges::unique(place.ends).begin(), place.ends.end());
  return place;
}

void DistanceMatrix::number_places() {
  for (const ObjectId object : objects_) {
    const auto number = static_cast<std::uint32_t>(places_.size());
    const auto [entry, is_new] = numbers_.try_emplace(place_of(object), number);
    if (is_new) places_.push_back(&entry->first);
    place_of_object_.push_back(entry->second);
  }
}

/// One link further from all places of the batch; false if nothing was new.
bool DistanceMatrix::spread() {
  std::ranges::fill(next_, 0);
  for (std::size_t router = 0; router < graph_.size(); ++router) {
    if (newest_[router] == 0) continue;
    for (const std::uint32_t neighbour : graph_.neighbours(router)) next_[neighbour] |= newest_[router];
  }
  bool any = false;
  for (std::size_t router = 0; router < graph_.size(); ++router) {
    next_[router] &= ~seen_[router];
    seen_[router] |= next_[router];
    any = any || next_[router] != 0;
  }
  std::swap(newest_, next_);
  return any;
}

void DistanceMatrix::note_arrivals(std::size_t first, std::uint32_t distance) {
  for (std::size_t to = 0; to < places_.size(); ++to) {
    Mask arriving = 0;
    for (const std::uint32_t end : places_[to]->ends) arriving |= newest_[end];
    arriving &= ~arrived_[to];
    arrived_[to] |= arriving;
    for (; arriving != 0; arriving &= arriving - 1) {
      const std::size_t from = first + static_cast<std::size_t>(std::countr_zero(arriving));
      between_[from * places_.size() + to] = places_[from]->links + distance + places_[to]->links;
    }
  }
}

void DistanceMatrix::search_from(std::size_t first, std::size_t count) {
  seen_.assign(graph_.size(), 0);
  newest_.assign(graph_.size(), 0);
  next_.resize(graph_.size());
  arrived_.assign(places_.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint32_t end : places_[first + i]->ends) seen_[end] = newest_[end] |= Mask{1} << i;
  }
  std::uint32_t distance = 0;
  do note_arrivals(first, distance++);
  while (spread());
}

std::vector<std::uint32_t> DistanceMatrix::by_object() const {
  std::vector<std::uint32_t> matrix;
  matrix.reserve(objects_.size() * objects_.size());
  for (std::size_t from = 0; from < objects_.size(); ++from) {
    const std::size_t row = place_of_object_[from] * places_.size();
    for (std::size_t to = 0; to < objects_.size(); ++to) {
      matrix.push_back(objects_[from] == objects_[to] ? 0 : between_[row + place_of_object_[to]]);
    }
  }
  return matrix;
}

/// Machines that are cabled to each other and do not forward.
void DistanceMatrix::join_back_to_back(std::vector<std::uint32_t>& matrix) const {
  for (std::size_t from = 0; from < objects_.size(); ++from) {
    if (graph_.number_of(objects_[from]) != no_number) continue;
    for_each_link_up(topology_, objects_[from], [&](const TopologyLink& link) {
      if (graph_.number_of(link.to) != no_number || link.to == objects_[from]) return;
      for (std::size_t to = 0; to < objects_.size(); ++to) {
        if (objects_[to] == link.to) matrix[from * objects_.size() + to] = 1;
      }
    });
  }
}

std::vector<std::uint32_t> DistanceMatrix::compute() {
  number_places();
  between_.assign(places_.size() * places_.size(), unreachable);
  for (std::size_t first = 0; first < places_.size(); first += batch_size) {
    search_from(first, std::min(batch_size, places_.size() - first));
  }
  auto matrix = by_object();
  join_back_to_back(matrix);
  return matrix;
}

}  // namespace

std::vector<std::uint32_t> distances(const Topology& part, std::span<const ObjectId> objects) {
  const Topology& topology = transit_of(part);
  if (regular_grid(topology) == nullptr) return DistanceMatrix(topology, objects).compute();
  std::vector<std::uint32_t> matrix;
  matrix.reserve(objects.size() * objects.size());
  for (const ObjectId from : objects) {
    for (const ObjectId to : objects) matrix.push_back(hops(topology, from, to));
  }
  return matrix;
}

}  // namespace ayatori
