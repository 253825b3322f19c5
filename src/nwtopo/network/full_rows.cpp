#include "full_rows.hpp"

#include <array>
#include <bit>
#include <map>
#include <optional>

namespace ayatori {

namespace {

/// Sorts the edges into dimensions. Where vertices are joined that differ in one coordinate, all edges of a triangle
/// lie in one dimension, and opposite edges of a square do. Together these rules join all edges of a dimension; a
/// missing edge takes triangles and squares away and adds none. Then a dimension's coordinates are the parts that
/// remain connected without its edges.
class RowFinder {
 public:
  RowFinder(const Adjacency& graph, std::span<const std::uint32_t> order);

  [[nodiscard]] std::expected<FullRows, std::string_view> find();

 private:
  [[nodiscard]] std::uint32_t edge(std::uint32_t a, std::uint32_t b) const;
  void join_triangles();
  [[nodiscard]] bool join_squares();
  void join_squares_at(std::uint32_t corner, std::span<const std::vector<std::uint32_t>> rows);
  void choose_dimensions();
  [[nodiscard]] bool find_coordinates();
  [[nodiscard]] std::optional<FullRows> place() const;

  const Adjacency& graph_;
  std::span<const std::uint32_t> order_;
  std::size_t max_dimensions_;            // n vertices make at most log2(n)
  std::vector<std::size_t> first_;        // by vertex: its first entry in edge_of_
  std::vector<std::uint32_t> edge_of_;    // by vertex and neighbour
  DisjointSets dimension_of_;             // by edge
  std::vector<std::uint32_t> dimension_;  // by edge: the number of its dimension, no_id: of none
  std::vector<std::uint32_t> lengths_;
  std::vector<std::vector<std::uint32_t>> coordinate_;  // by dimension and vertex
};

RowFinder::RowFinder(const Adjacency& graph, std::span<const std::uint32_t> order)
    : graph_(graph),
      order_(order),
      max_dimensions_(graph.empty() ? 0 : std::bit_width(graph.size()) - 1),
      first_(graph.size()),
      dimension_of_(edge_count(graph)) {
  std::uint32_t edges = 0;
  for (std::uint32_t a = 0; a < graph.size(); ++a) {
    first_[a] = edge_of_.size();
    for (const std::uint32_t b : graph[a]) edge_of_.push_back(b > a ? edges++ : edge(b, a));
  }
}

std::uint32_t RowFinder::edge(std::uint32_t a, std::uint32_t b) const {
  return edge_of_[first_[a] + static_cast<std::size_t>(std::ranges::lower_bound(graph_[a], b) - graph_[a].begin())];
}

void RowFinder::join_triangles() {
  std::vector<std::uint32_t> edge_to(graph_.size(), no_id);
  for (std::uint32_t a = 0; a < graph_.size(); ++a) {
    const auto around = std::span(graph_[a]);
    for (std::size_t i = 0; i < around.size(); ++i) edge_to[around[i]] = edge_of_[first_[a] + i];
    for (const std::uint32_t b : around) {
      if (b < a) continue;
      for (std::size_t i = 0; i < graph_[b].size(); ++i) {
        const std::uint32_t c = graph_[b][i];
        if (c < b || edge_to[c] == no_id) continue;
        dimension_of_.join(edge_to[b], edge_to[c]);
        dimension_of_.join(edge_to[b], edge_of_[first_[b] + i]);
      }
    }
    for (const std::uint32_t b : around) edge_to[b] = no_id;
  }
}

/// A few squares tell as much as all of them: in each row through the corner some edges are tried. False if most
/// vertices have more rows than there can be dimensions.
bool RowFinder::join_squares() {
  std::size_t tried = 0;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_row;
  for (std::uint32_t a = 0; a < graph_.size(); ++a) {
    by_row.clear();
    constexpr std::size_t edges_tried = 3;
    for (std::size_t i = 0; i < graph_[a].size(); ++i) {
      auto& row = by_row[dimension_of_.root(edge_of_[first_[a] + i])];
      if (row.size() < edges_tried) row.push_back(graph_[a][i]);
    }
    if (by_row.size() > max_dimensions_) continue;
    ++tried;
    std::vector<std::vector<std::uint32_t>> rows;
    for (auto& [root, row] : by_row) rows.push_back(std::move(row));
    join_squares_at(a, rows);
  }
  return are_most(tried, graph_.size());
}

void RowFinder::join_squares_at(std::uint32_t corner, std::span<const std::vector<std::uint32_t>> rows) {
  std::vector<std::uint32_t> far;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (const std::uint32_t b : rows[i]) {
        for (const std::uint32_t d : rows[j]) {
          far.clear();
          std::ranges::set_intersection(graph_[b], graph_[d], std::back_inserter(far));
          for (const std::uint32_t c : far) {
            if (c == corner || are_joined(graph_, corner, c)) continue;
            dimension_of_.join(edge(corner, b), edge(d, c));
            dimension_of_.join(edge(corner, d), edge(b, c));
          }
        }
      }
    }
  }
}

/// Each vertex of a whole HyperX has an edge in every dimension. Sets that are much smaller are edges that damage has
/// cut off, or that do not belong to the shape.
void RowFinder::choose_dimensions() {
  std::map<std::uint32_t, std::size_t> sizes;
  for (std::uint32_t i = 0; i < edge_of_.size() / 2; ++i) ++sizes[dimension_of_.root(i)];
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const auto& [root, size] : sizes) {
    if (4 * size >= graph_.size()) numbers.emplace(root, static_cast<std::uint32_t>(numbers.size()));
  }
  dimension_.assign(edge_of_.size() / 2, no_id);
  for (std::uint32_t i = 0; i < dimension_.size(); ++i) {
    if (const auto number = numbers.find(dimension_of_.root(i)); number != numbers.end()) {
      dimension_[i] = number->second;
    }
  }
  lengths_.assign(numbers.size(), 0);
}

bool RowFinder::find_coordinates() {
  coordinate_.assign(lengths_.size(), {});
  std::size_t points = 1;
  for (std::uint32_t k = 0; k < lengths_.size(); ++k) {
    DisjointSets layers(graph_.size());
    for (std::uint32_t a = 0; a < graph_.size(); ++a) {
      for (std::size_t i = 0; i < graph_[a].size(); ++i) {
        const std::uint32_t dimension = dimension_[edge_of_[first_[a] + i]];
        if (dimension != k && dimension != no_id) layers.join(a, graph_[a][i]);
      }
    }
    std::map<std::uint32_t, std::uint32_t> numbers;
    coordinate_[k].resize(graph_.size());
    for (const std::uint32_t a : order_) {
      coordinate_[k][a] = numbers.try_emplace(layers.root(a), static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    lengths_[k] = static_cast<std::uint32_t>(numbers.size());
    if (lengths_[k] < 2 || lengths_[k] > graph_.size() / points) return false;
    points *= lengths_[k];
  }
  return points == graph_.size();
}

/// Nothing if two vertices would lie at one point, or if too many edges are missing.
std::optional<FullRows> RowFinder::place() const {
  FullRows rows{lengths_, std::vector<std::uint32_t>(graph_.size(), no_id)};
  for (std::uint32_t a = 0; a < graph_.size(); ++a) {
    std::size_t point = 0;
    for (std::size_t k = 0; k < lengths_.size(); ++k) point = point * lengths_[k] + coordinate_[k][a];
    if (rows.at[point] != no_id) return std::nullopt;
    rows.at[point] = a;
  }
  std::vector<std::size_t> wanted(lengths_.size());
  std::vector<std::size_t> there(lengths_.size());
  for_pairs_of_rows(rows, [&](std::uint32_t a, std::uint32_t b, std::size_t dimension) {
    ++wanted[dimension];
    there[dimension] += are_joined(graph_, a, b) ? 1 : 0;
  });
  std::size_t inside = 0;
  for (std::size_t k = 0; k < lengths_.size(); ++k) {
    if (!are_most(there[k], wanted[k])) return std::nullopt;
    inside += there[k];
  }
  constexpr std::size_t per_stray = 50;
  if ((edge_count(graph_) - inside) * per_stray > inside) return std::nullopt;
  return rows;
}

std::expected<FullRows, std::string_view> RowFinder::find() {
  if (graph_.size() < 4) return std::unexpected("there are fewer than four routers");
  for (const auto& around : graph_) {
    if (2 * around.size() > graph_.size()) return std::unexpected("a router is cabled to more than half of the others");
  }
  join_triangles();
  if (!join_squares()) return std::unexpected("the neighbours of most routers form too many rows");
  choose_dimensions();
  if (lengths_.size() < 2) return std::unexpected("the cables do not fall into two dimensions or more");
  if (!find_coordinates()) return std::unexpected("the cables of the dimensions do not make a box");
  auto rows = place();
  if (!rows) return std::unexpected("too many cables are missing from rows, or lead across them");
  return std::move(*rows);
}

}  // namespace

std::expected<FullRows, std::string_view> find_full_rows(const Adjacency& graph, std::span<const std::uint32_t> order) {
  return RowFinder(graph, order).find();
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_across_rows(const Adjacency& graph, const FullRows& rows) {
  std::vector<std::uint32_t> point_of(graph.size());
  for (std::uint32_t point = 0; point < rows.at.size(); ++point) point_of[rows.at[point]] = point;
  const auto differing = [&](std::uint32_t a, std::uint32_t b) {
    std::size_t count = 0;
    for (std::size_t k = rows.dimensions.size(); k-- > 0; a /= rows.dimensions[k], b /= rows.dimensions[k]) {
      count += a % rows.dimensions[k] != b % rows.dimensions[k] ? 1 : 0;
    }
    return count;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (std::uint32_t a = 0; a < graph.size(); ++a) {
    for (const std::uint32_t b : graph[a]) {
      if (a < b && differing(point_of[a], point_of[b]) != 1) found.emplace_back(a, b);
    }
  }
  return found;
}

FullRows with_dimensions_in_order(const FullRows& rows, std::span<const std::size_t> order) {
  std::vector<std::size_t> strides(rows.dimensions.size(), 1);
  for (std::size_t k = strides.size() - 1; k-- > 0;) strides[k] = strides[k + 1] * rows.dimensions[k + 1];
  FullRows found;
  for (const std::size_t k : order) found.dimensions.push_back(rows.dimensions[k]);
  for (std::size_t point = 0; point < rows.at.size(); ++point) {
    std::size_t before = 0;
    std::size_t rest = point;
    for (std::size_t i = order.size(); i-- > 0; rest /= found.dimensions[i]) {
      before += rest % found.dimensions[i] * strides[order[i]];
    }
    found.at.push_back(rows.at[before]);
  }
  return found;
}

}  // namespace ayatori
