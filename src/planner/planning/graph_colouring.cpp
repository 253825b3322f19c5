#include "graph_colouring.hpp"

#include <algorithm>
#include <numeric>

namespace ayatori {

ClashGraph::ClashGraph(std::size_t vertices, std::size_t colours, bool plain)
    : colours_(colours), plain_(plain), lists_(vertices), adjacent_(vertices * vertices, false) {
  for (ColourSet& list : lists_) {
    for (std::size_t a = 0; a < colours; ++a) list.set(a);
  }
  if (!plain) clashes_.resize(vertices * vertices * colours);
}

void ClashGraph::add_edge(std::size_t v, std::size_t w) {
  adjacent_[v * size() + w] = true;
  adjacent_[w * size() + v] = true;
}

void ClashGraph::add_clash(std::size_t v, std::size_t a, std::size_t w, std::size_t b) {
  add_edge(v, w);
  clashes_[(v * size() + w) * colours_ + a].set(b);
  clashes_[(w * size() + v) * colours_ + b].set(a);
}

ColourSet ClashGraph::clashes(std::size_t v, std::size_t a, std::size_t w) const {
  if (!plain_) return clashes_[(v * size() + w) * colours_ + a];
  ColourSet same;
  same.set(a, adjacent(v, w));
  return same;
}

bool ClashGraph::admits(const std::vector<std::uint8_t>& colouring) const {
  for (std::size_t v = 0; v < size(); ++v) {
    if (!lists_[v].test(colouring[v])) return false;
    for (std::size_t w = v + 1; w < size(); ++w) {
      if (adjacent(v, w) && clashes(v, colouring[v], w).test(colouring[w])) return false;
    }
  }
  return true;
}

namespace {

class VertexSearch {
 public:
  VertexSearch(const ClashGraph& graph, std::uint64_t budget, const SearchControl& control)
      : graph_(graph),
        budget_(budget),
        control_(control),
        lists_(graph.size()),
        neighbours_(graph.size()),
        open_(graph.size()) {
    for (std::size_t v = 0; v < graph.size(); ++v) {
      lists_[v] = graph.list(v);
      for (std::uint32_t w = 0; w < graph.size(); ++w) {
        if (graph.adjacent(v, w)) neighbours_[v].push_back(w);
      }
    }
    std::iota(open_.begin(), open_.end(), 0U);
    const auto is_full = [&](const ColourSet& list) { return list.count() == graph.colours(); };
    colours_are_alike_ = graph.is_plain() && std::all_of(lists_.begin(), lists_.end(), is_full);
    result_.colour.resize(graph.size());
  }

  Colouring run() {
    result_.outcome = extend(0);
    if (result_.outcome != Colouring::Outcome::found) result_.colour.clear();
    return std::move(result_);
  }

 private:
  using Outcome = Colouring::Outcome;

  /// Colours the open vertices; `used` colours were taken so far where colours are alike.
  Outcome extend(std::size_t used) {
    if (open_.empty()) return Outcome::found;
    const std::uint32_t v = take_most_constrained();
    const std::size_t choices = colours_are_alike_ ? std::min(used + 1, graph_.colours()) : graph_.colours();
    Outcome outcome = Outcome::impossible;
    for (std::size_t a = 0; a < choices && outcome == Outcome::impossible; ++a) {
      if (lists_[v].test(a)) outcome = attempt(v, a, std::max(used, a + 1));
    }
    open_.push_back(v);
    return outcome;
  }

  Outcome attempt(std::uint32_t v, std::size_t a, std::size_t used) {
    if (result_.tried == budget_ || control_.stopped()) return Outcome::gave_up;
    ++result_.tried;
    result_.colour[v] = static_cast<std::uint8_t>(a);
    const std::size_t mark = struck_.size();
    const Outcome outcome = strike(v, a) ? extend(used) : Outcome::impossible;
    while (struck_.size() > mark) {
      lists_[struck_.back().vertex] = struck_.back().list;
      struck_.pop_back();
    }
    return outcome;
  }

  /// Takes what clashes with colour a of v off the lists of open vertices. False if one has nothing left.
  bool strike(std::uint32_t v, std::size_t a) {
    for (const std::uint32_t w : neighbours_[v]) {
      const ColourSet left = lists_[w] & ~graph_.clashes(v, a, w);
      if (left == lists_[w]) continue;
      struck_.push_back({w, lists_[w]});
      lists_[w] = left;
      // Coloured vertices lose colours too, which nobody looks at; only an open one may not run out.
      if (left.none() && is_open(w)) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_open(std::uint32_t w) const { return std::find(open_.begin(), open_.end(), w) != open_.end(); }

  std::uint32_t take_most_constrained() {
    const auto less = [this](std::uint32_t v, std::uint32_t w) {
      const std::size_t a = lists_[v].count();
      const std::size_t b = lists_[w].count();
      if (a != b) return a < b;
      if (neighbours_[v].size() != neighbours_[w].size()) return neighbours_[v].size() > neighbours_[w].size();
      return v < w;
    };
    const auto found = std::min_element(open_.begin(), open_.end(), less);
    const std::uint32_t v = *found;
    *found = open_.back();
    open_.pop_back();
    return v;
  }

  struct Struck {
    std::uint32_t vertex;
    ColourSet list;  // as it was
  };

  const ClashGraph& graph_;
  std::uint64_t budget_;
  const SearchControl& control_;
  std::vector<ColourSet> lists_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::uint32_t> open_;
  std::vector<Struck> struck_;
  bool colours_are_alike_ = false;
  Colouring result_;
};

}  // namespace

Colouring colour_vertices(const ClashGraph& graph, std::uint64_t budget, const SearchControl& control) {
  return VertexSearch(graph, budget, control).run();
}

}  // namespace ayatori
