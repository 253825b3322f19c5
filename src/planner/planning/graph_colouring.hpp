#pragma once
/// \file
/// Colouring the vertices of a graph from lists.
///
/// Each vertex has a list of colours that it may take, and each edge says which colours of its ends clash. In a *plain*
/// graph equal colours clash, as in any textbook. In a *general* graph clashes are given one by one (binary
/// constraints), because in irregular fabrics two paths can share a link without having the same label.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ayatori/base/search_control.hpp"

namespace ayatori {

constexpr std::size_t max_colours = 128;  ///< 2^7: as many as there are LIDs a port
using ColourSet = std::bitset<max_colours>;

class ClashGraph {
 public:
  /// Every vertex may take all `colours` (at most max_colours) to begin with.
  static ClashGraph plain(std::size_t vertices, std::size_t colours) { return {vertices, colours, true}; }
  static ClashGraph general(std::size_t vertices, std::size_t colours) { return {vertices, colours, false}; }

  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  [[nodiscard]] std::size_t colours() const { return colours_; }
  [[nodiscard]] bool is_plain() const { return plain_; }

  [[nodiscard]] const ColourSet& list(std::size_t v) const { return lists_[v]; }
  [[nodiscard]] ColourSet& list(std::size_t v) { return lists_[v]; }

  /// Plain graphs: v and w may not have the same colour.
  void add_edge(std::size_t v, std::size_t w);
  /// General graphs: v with colour a and w with colour b do not go together.
  void add_clash(std::size_t v, std::size_t a, std::size_t w, std::size_t b);

  [[nodiscard]] bool adjacent(std::size_t v, std::size_t w) const { return adjacent_[v * size() + w]; }
  /// Colours of w that clash with colour a of v.
  [[nodiscard]] ColourSet clashes(std::size_t v, std::size_t a, std::size_t w) const;
  /// Does this colouring respect all lists and edges?
  [[nodiscard]] bool admits(const std::vector<std::uint8_t>& colouring) const;

 private:
  ClashGraph(std::size_t vertices, std::size_t colours, bool plain);

  std::size_t colours_;
  bool plain_;
  std::vector<ColourSet> lists_;
  std::vector<bool> adjacent_;      // v · size + w
  std::vector<ColourSet> clashes_;  // (v · size + w) · colours + a, not in plain graphs
};

struct Colouring {
  enum class Outcome : std::uint8_t {
    found,
    impossible,  ///< proven: the search was exhaustive
    gave_up,     ///< the budget ran out, or the search was stopped
  };
  Outcome outcome = Outcome::gave_up;
  std::vector<std::uint8_t> colour;  ///< by vertex, if found
  std::uint64_t tried = 0;           ///< colours that the search gave to a vertex: endpoints of its tree
};

/// Exact: depth-first search that takes the vertex with the fewest colours left (Brélaz' DSATUR, 1979), strikes
/// clashing colours off its neighbours' lists and backtracks when one is empty. In plain graphs with full lists,
/// colours that no vertex has yet are interchangeable: only one of them is tried. Tries at most `budget` colours, which
/// is deterministic, as a limit of time would not be; fewer where `control` stops it.
[[nodiscard]] Colouring colour_vertices(const ClashGraph& graph, std::uint64_t budget,
                                        const SearchControl& control = {});

}  // namespace ayatori
