#include "bipartite_colouring.hpp"

#include <algorithm>
#include <optional>

#include "ayatori/base/set_bits.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t no_edge = 0xFFFFFFFF;

/// One side of the graph, its vertices split into parts of at most |U(v)| edges.
class Side {
 public:
  explicit Side(std::size_t edges) : part_of_edge_(edges) {}

  template <typename VertexOf>
  void split(std::span<const BipartiteEdge> edges, VertexOf vertex_of) {
    std::uint32_t vertices = 0;
    for (const BipartiteEdge& edge : edges) vertices = std::max(vertices, vertex_of(edge) + 1);
    std::vector<EdgeColours> colours(vertices);
    for (const BipartiteEdge& edge : edges) colours[vertex_of(edge)] |= edge.list;

    std::vector<std::uint32_t> part(vertices, no_edge);
    std::vector<std::size_t> room(vertices, 0);
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      const std::uint32_t v = vertex_of(edges[e]);
      if (room[v] == 0) {
        part[v] = static_cast<std::uint32_t>(taken_.size());
        room[v] = std::max<std::size_t>(1, colours[v].count());
        taken_.emplace_back();
      }
      --room[v];
      part_of_edge_[e] = part[v];
    }
    EdgeColours all;
    for (const EdgeColours& of_vertex : colours) all |= of_vertex;
    for (std::size_t colour = 0; colour < max_edge_colours; ++colour) width_ = all.test(colour) ? colour + 1 : width_;
    edge_with_.assign(taken_.size() * width_, no_edge);
  }

  [[nodiscard]] std::uint32_t part(std::uint32_t edge) const { return part_of_edge_[edge]; }
  [[nodiscard]] const EdgeColours& taken(std::uint32_t part) const { return taken_[part]; }
  [[nodiscard]] std::uint32_t edge_with(std::uint32_t part, std::size_t colour) const {
    return edge_with_[part * width_ + colour];
  }

  void take(std::uint32_t edge, std::size_t colour) {
    edge_with_[part(edge) * width_ + colour] = edge;
    taken_[part(edge)].set(colour);
  }
  void give_back(std::uint32_t edge, std::size_t colour) {
    edge_with_[part(edge) * width_ + colour] = no_edge;
    taken_[part(edge)].reset(colour);
  }

 private:
  std::vector<std::uint32_t> part_of_edge_;
  std::size_t width_ = 0;                 // the highest colour of any list, and 1
  std::vector<std::uint32_t> edge_with_;  // by part and colour
  std::vector<EdgeColours> taken_;        // by part
};

class EdgeColouring {
 public:
  explicit EdgeColouring(std::span<const BipartiteEdge> edges)
      : edges_(edges), left_(edges.size()), right_(edges.size()), colour_(edges.size(), no_colour) {
    left_.split(edges, [](const BipartiteEdge& edge) { return edge.left; });
    right_.split(edges, [](const BipartiteEdge& edge) { return edge.right; });
  }

  std::vector<std::uint16_t> run() {
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      if (!give_free_colour(e)) give_swapped_colour(e);
    }
    return std::move(colour_);
  }

 private:
  bool give_free_colour(std::uint32_t e) {
    const EdgeColours free = edges_[e].list & ~left_.taken(left_.part(e)) & ~right_.taken(right_.part(e));
    if (free.none()) return false;
    take(e, first_set_bit(free));
    return true;
  }

  /// α is free on the left, β on the right. On the path that leaves the right end with α, then β, α, … the colours
  /// trade places: afterwards α is free on the right too. The path can't come back to the left end: it would have
  /// to arrive there with α.
  void give_swapped_colour(std::uint32_t e) {
    const EdgeColours left_free = edges_[e].list & ~left_.taken(left_.part(e));
    const EdgeColours right_free = edges_[e].list & ~right_.taken(right_.part(e));
    for (std::size_t alpha = first_set_bit(left_free); alpha < max_edge_colours;
         alpha = set_bit_from(left_free, alpha + 1)) {
      for (std::size_t beta = first_set_bit(right_free); beta < max_edge_colours;
           beta = set_bit_from(right_free, beta + 1)) {
        if (!swap_path(e, alpha, beta)) continue;
        take(e, alpha);
        return;
      }
    }
  }

  bool swap_path(std::uint32_t e, std::size_t alpha, std::size_t beta) {
    path_.clear();
    bool at_right = true;
    std::size_t colour = alpha;
    for (std::uint32_t next = right_.edge_with(right_.part(e), alpha); next != no_edge;) {
      const std::size_t other = alpha + beta - colour;
      if (!edges_[next].list.test(other)) return false;
      path_.push_back(next);
      colour = other;
      at_right = !at_right;
      next = at_right ? right_.edge_with(right_.part(next), colour) : left_.edge_with(left_.part(next), colour);
    }
    for (const std::uint32_t edge : path_) give_back(edge, colour_[edge]);
    for (const std::uint32_t edge : path_) take(edge, alpha + beta - colour_[edge]);
    return true;
  }

  void take(std::uint32_t e, std::size_t colour) {
    colour_[e] = static_cast<std::uint16_t>(colour);
    left_.take(e, colour);
    right_.take(e, colour);
  }

  void give_back(std::uint32_t e, std::size_t colour) {
    left_.give_back(e, colour);
    right_.give_back(e, colour);
  }

  std::span<const BipartiteEdge> edges_;
  Side left_;
  Side right_;
  std::vector<std::uint16_t> colour_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint16_t> colour_edges(std::span<const BipartiteEdge> edges) { return EdgeColouring(edges).run(); }

}  // namespace ayatori
