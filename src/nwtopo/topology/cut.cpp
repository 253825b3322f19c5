#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ayatori/topology/queries.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

/// Bytes a second. Whole numbers: sums and differences of flows are exact.
using Flow = std::uint64_t;
constexpr Flow no_limit = std::numeric_limits<Flow>::max();

/// A flow network and its maximum flow, by Dinic's algorithm: as long as the sink can be reached over residual arcs,
/// rank the vertices by their distance and augment paths of rising rank.
class MaximumFlow {
 public:
  using Vertex = std::uint32_t;

  Vertex add_vertex() {
    arcs_of_.emplace_back();
    return static_cast<Vertex>(arcs_of_.size() - 1);
  }

  void add_arc(Vertex from, Vertex to, Flow capacity) {
    arcs_of_[from].push_back(static_cast<std::uint32_t>(arcs_.size()));
    arcs_.push_back({to, capacity});
    arcs_of_[to].push_back(static_cast<std::uint32_t>(arcs_.size()));
    arcs_.push_back({from, 0});
  }

  Flow run(Vertex source, Vertex sink) {
    Flow total = 0;
    while (rank_from(source, sink)) {
      next_.assign(arcs_of_.size(), 0);
      while (const Flow pushed = push(source, sink)) total += pushed;
    }
    return total;
  }

  /// After run(): whether the vertex is on the source's side of the narrowest cut.
  [[nodiscard]] bool on_source_side(Vertex vertex) const { return rank_[vertex] != unreachable; }

 private:
  struct Arc {
    Vertex to;
    Flow room;
  };

  bool rank_from(Vertex source, Vertex sink) {
    rank_.assign(arcs_of_.size(), unreachable);
    rank_[source] = 0;
    std::vector<Vertex> queue = {source};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t arc : arcs_of_[queue[i]]) {
        if (arcs_[arc].room == 0 || rank_[arcs_[arc].to] != unreachable) continue;
        rank_[arcs_[arc].to] = rank_[queue[i]] + 1;
        queue.push_back(arcs_[arc].to);
      }
    }
    return rank_[sink] != unreachable;
  }

  /// One augmenting path from source to sink, as a stack of arcs; dead ends are never tried again.
  Flow push(Vertex source, Vertex sink) {
    path_.clear();
    Vertex here = source;
    while (here != sink) {
      if (const auto arc = usable_arc(here)) {
        path_.push_back(*arc);
        here = arcs_[*arc].to;
      } else if (path_.empty()) {
        return 0;
      } else {
        here = arcs_[path_.back() ^ 1].to;
        ++next_[here];
        path_.pop_back();
      }
    }
    Flow room = no_limit;
    for (const std::uint32_t arc : path_) room = std::min(room, arcs_[arc].room);
    for (const std::uint32_t arc : path_) {
      arcs_[arc].room -= room;
      arcs_[arc ^ 1].room += room;
    }
    return room;
  }

  std::optional<std::uint32_t> usable_arc(Vertex here) {
    for (auto& next = next_[here]; next < arcs_of_[here].size(); ++next) {
      const std::uint32_t arc = arcs_of_[here][next];
      if (arcs_[arc].room > 0 && rank_[arcs_[arc].to] == rank_[here] + 1) return arc;
    }
    return std::nullopt;
  }

  std::vector<Arc> arcs_;  // arc i and its reverse i ^ 1
  std::vector<std::vector<std::uint32_t>> arcs_of_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> path_;
};

/// The links around two sets of machines as a flow network.
class CutProblem {
 public:
  CutProblem(const Topology& topology, std::span<const ObjectId> a, std::span<const ObjectId> b)
      : topology_(topology), a_(a), b_(b) {
    collect_links();
  }

  Cut solve() const {
    Cut cut = narrowest();
    const double of_a = injection(a_);
    const double of_b = injection(b_);
    if (of_a > 0 && of_b > 0) cut.injection = std::min(of_a, of_b);
    return cut;
  }

 private:
  struct From {
    ObjectId from;
    TopologyLink link;
  };

  /// Every link that can be reached from a. Packets go through a machine only if its router is built in.
  void collect_links() {
    for (const ObjectId machine : a_) number(machine);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const ObjectId here = objects_[i];
      const bool starts = i < a_.size();
      if (!starts && !forwards(topology_, here)) continue;
      for_each_link_up(topology_, here, [&](const TopologyLink& link) {
        all_known_ = all_known_ && link.rate.known();
        sum_ += rate(link);
        links_.push_back({here, link});
        number(link.to);
      });
    }
    for (const ObjectId machine : b_) number(machine);
  }

  MaximumFlow::Vertex number(ObjectId id) {
    const auto [place, is_new] = numbers_.try_emplace(id, static_cast<MaximumFlow::Vertex>(objects_.size()));
    if (is_new) objects_.push_back(id);
    return place->second;
  }

  /// The bandwidth is known if it is the same whether links of unknown rate carry nothing or all there is.
  [[nodiscard]] Cut narrowest() const {
    const auto unlimited = [](const TopologyLink& link) { return link.rate.known() ? rate(link) : no_limit; };
    if (all_known_) return cut_by(rate, true);
    const Cut most = cut_by(unlimited, true);
    if (most.bandwidth == cut_by(rate, true).bandwidth) return most;
    return cut_by([](const TopologyLink&) { return Flow{1}; }, false);
  }

  /// With the links' capacities, which are bytes a second if `is_bandwidth`.
  template <typename CapacityOf>
  [[nodiscard]] Cut cut_by(CapacityOf capacity_of, bool is_bandwidth) const {
    MaximumFlow flow;
    for (std::size_t i = 0; i < objects_.size(); ++i) flow.add_vertex();
    const auto start = flow.add_vertex();
    const auto source = flow.add_vertex();
    const auto sink = flow.add_vertex();
    // More than all known links carry: only paths without limit can fill it, and their sum stays a number.
    flow.add_arc(start, source, std::max<Flow>(sum_, links_.size()) + 1);
    for (const ObjectId machine : a_) flow.add_arc(source, numbers_.at(machine), no_limit);
    for (const ObjectId machine : b_) flow.add_arc(numbers_.at(machine), sink, no_limit);
    for (const auto& [from, link] : links_) flow.add_arc(numbers_.at(from), numbers_.at(link.to), capacity_of(link));

    Cut cut;
    const Flow most = flow.run(start, sink);
    if (is_bandwidth) cut.bandwidth = static_cast<double>(most);
    for (const auto& [from, link] : links_) {
      cut.num_links += flow.on_source_side(numbers_.at(from)) && !flow.on_source_side(numbers_.at(link.to));
    }
    return cut;
  }

  /// 0 if not known.
  [[nodiscard]] static Flow rate(const TopologyLink& link) { return static_cast<Flow>(link.rate.bytes_per_second()); }

  /// 0 if the rate of a NIC is not known.
  [[nodiscard]] double injection(std::span<const ObjectId> machines) const {
    double sum = 0;
    bool known = true;
    for (const ObjectId machine : machines) {
      std::uint32_t links = 0;
      for_each_link_up(topology_, machine, [&](const TopologyLink& link) {
        if (links++ != 0 && topology_.direct()) return;
        known = known && link.rate.known();
        sum += static_cast<double>(rate(link));
      });
    }
    return known ? sum : 0;
  }

  const Topology& topology_;
  std::span<const ObjectId> a_;
  std::span<const ObjectId> b_;
  std::vector<From> links_;
  std::vector<ObjectId> objects_;
  std::unordered_map<ObjectId, MaximumFlow::Vertex> numbers_;
  Flow sum_ = 0;  // of the known rates
  bool all_known_ = true;
};

}  // namespace

Result<Cut> cut_between(const Topology& topology, std::span<const ObjectId> a, std::span<const ObjectId> b) {
  if (a.empty() || b.empty()) return fail("a cut needs machines on both sides");
  std::unordered_set<ObjectId> seen(a.begin(), a.end());
  if (seen.size() != a.size()) return fail("a machine comes twice on one side of the cut");
  for (const ObjectId machine : b) {
    if (!seen.insert(machine).second) return fail("{} comes twice in the cut", topology.name(machine));
  }
  return CutProblem(transit_of(topology), a, b).solve();
}

}  // namespace ayatori
