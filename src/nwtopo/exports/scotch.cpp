#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "ayatori/network/shape.hpp"
#include "ayatori/topology/image.hpp"
#include "ayatori/topology/queries.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

namespace {

/// Scotch keeps a number for each two of the parts in which it divides the machines: 134 MB for so many.
constexpr std::size_t max_in_table = 4096;

/// Distances between things that are numbered in network order, row-major.
struct Distances {
  std::size_t count = 0;
  std::vector<std::uint32_t> between;

  [[nodiscard]] std::uint32_t at(std::size_t a, std::size_t b) const { return between[a * count + b]; }
};

Distances distances_of(const Topology& topology, const std::vector<ObjectId>& machines) {
  return {machines.size(), distances(topology, machines)};
}

Result<> check_reachable(const Topology& topology, const std::vector<ObjectId>& machines, const Distances& table) {
  const auto far = std::ranges::find(table.between, unreachable);
  if (far == table.between.end()) return {};
  const auto place = static_cast<std::size_t>(far - table.between.begin());
  return fail("Scotch's target architectures are connected: no path leads from {} to {}",
              topology.name(machines[place / table.count]), topology.name(machines[place % table.count]));
}

/// A torus or mesh whose points, in their order, are the machines.
struct WholeGrid {
  std::vector<std::uint32_t> dimensions;  ///< without those of length 1
  bool periodic = true;                   ///< or all lengths are 2
};

/// Nothing if it is another network, or a grid that Scotch does not have: periodic in some dimensions only, or a mesh
/// of more than three. (There is meshXD, but Scotch 7.0 measures its distances around the edge.)
std::optional<WholeGrid> whole_grid(const Network& network) {
  const auto grid = machine_grid(network);
  if (!grid) return std::nullopt;
  WholeGrid found;
  std::uint64_t points = 1;
  std::optional<bool> periodic;
  for (std::size_t i = 0; i < grid->dimensions.size(); ++i) {
    const std::uint32_t length = grid->dimensions[i];
    points *= length;
    if (length > 1) found.dimensions.push_back(length);
    if (length < 3) continue;  // a ring of two is a line
    if (periodic && *periodic != grid->periodic[i]) return std::nullopt;
    periodic = grid->periodic[i];
  }
  found.periodic = periodic.value_or(true);
  const auto order = network.machines_in_order();
  if (points != order.size() || found.dimensions.empty()) return std::nullopt;
  if (!found.periodic && found.dimensions.size() > 3) return std::nullopt;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (grid->point[order[i]] != i) return std::nullopt;
  }
  return found;
}

/// Scotch's first coordinate runs fastest, ours the last.
void write_grid(WholeGrid grid, Out& out) {
  if (!grid.periodic) grid.dimensions.resize(std::max<std::size_t>(grid.dimensions.size(), 2), 1);
  std::ranges::reverse(grid.dimensions);
  const std::size_t count = grid.dimensions.size();
  const std::string heading = grid.periodic ? fmt::format("torusXD\n{} ", count) : fmt::format("mesh{}D\n", count);
  out("{}{}\n", heading, fmt::join(grid.dimensions, " "));
}

std::vector<ObjectId> routers_of(const Topology& topology, ObjectId machine) {
  std::vector<ObjectId> found;
  const std::uint32_t count = topology.link_count(machine);
  for (std::uint32_t i = 0; i < count; ++i) found.push_back(topology.link(machine, i).to);
  std::ranges::sort(found);
  return found;
}

/// The first machine of each run of machines on the same routers, if all runs are equally long.
std::vector<ObjectId> first_of_leaves(const Topology& topology) {
  std::vector<ObjectId> first;
  std::vector<ObjectId> routers;
  for (ObjectId machine = 0; machine < topology.machine_count(); ++machine) {
    auto here = routers_of(topology, machine);
    if (machine == 0 || here != routers) first.push_back(machine);
    routers = std::move(here);
  }
  const std::uint64_t length = topology.machine_count() / first.size();
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i * length) return {};
  }
  return length * first.size() == topology.machine_count() ? first : std::vector<ObjectId>{};
}

/// A level of a tree in which all groups of a level are alike.
struct TreeLevel {
  std::size_t size = 0;        // leaves in a group
  std::uint32_t distance = 0;  // between the machines of two leaves that have only this group in common
};

/// From the lowest up; nothing if the distances are not those of such a tree.
std::vector<TreeLevel> levels_of(const Distances& leaves) {
  std::vector<std::uint32_t> row(leaves.between.begin() + 1,
                                 leaves.between.begin() + static_cast<std::ptrdiff_t>(leaves.count));
  if (!std::ranges::is_sorted(row)) return {};
  std::vector<TreeLevel> levels;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (levels.empty() || levels.back().distance != row[i]) levels.push_back({0, row[i]});
    levels.back().size = i + 2;
  }
  std::size_t below = 1;
  for (const TreeLevel& level : levels) {
    if (level.size % below != 0) return {};
    below = level.size;
  }
  for (std::size_t a = 0; a < leaves.count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto common =
          std::ranges::find_if(levels, [&](const TreeLevel& level) { return a / level.size == b / level.size; });
      if (common == levels.end() || leaves.at(a, b) != common->distance) return {};
    }
  }
  return levels;
}

/// Scotch's distance is the sum of the weights of the levels up to the common one.
void write_tree(const std::vector<TreeLevel>& levels, std::uint64_t machines_of_leaf, std::uint32_t within, Out& out) {
  struct Row {
    std::uint64_t children;
    std::uint32_t weight;
  };
  std::vector<Row> rows;
  std::uint32_t reached = 0;
  std::size_t size = 1;
  if (machines_of_leaf > 1) rows.push_back({machines_of_leaf, reached = within});
  for (const TreeLevel& level : levels) {
    rows.push_back({level.size / size, level.distance - reached});
    reached = level.distance;
    size = level.size;
  }
  if (rows.size() < 2) {
    out("cmplt\n{}\n", rows.empty() ? 1 : rows.front().children);
    return;
  }
  out("tleaf\n{}", rows.size());
  for (std::size_t i = rows.size(); i-- > 0;) out(" {} {}", rows[i].children, rows[i].weight);
  out("\n");
}

/// Halves of halves, in network order, whose neighbours share routers: the halves of domain d are 2d and 2d + 1.
void number_domains(std::vector<std::uint32_t>& domains, std::size_t begin, std::size_t end, std::uint32_t domain) {
  if (end - begin == 1) {
    domains[begin] = domain;
    return;
  }
  const std::size_t middle = begin + (end - begin + 1) / 2;
  number_domains(domains, begin, middle, 2 * domain);
  number_domains(domains, middle, end, 2 * domain + 1);
}

void write_table(const Distances& table, Out& out) {
  std::vector<std::uint32_t> domains(table.count);
  number_domains(domains, 0, table.count, 1);
  out("deco\n0\n{} {}\n", table.count, std::ranges::max(domains));
  for (std::size_t i = 0; i < table.count; ++i) out("{} 1 {}\n", i, domains[i]);
  for (std::size_t a = 1; a < table.count; ++a) {
    for (std::size_t b = 0; b < a; ++b) out("{}{}", table.at(a, b), b + 1 < a ? " " : "\n");
  }
}

}  // namespace

Result<> write_scotch(const Network& network, const Sink& sink) {
  if (network.machines().empty()) return fail("Scotch maps onto machines, and the network has none");
  if (const auto grid = whole_grid(network)) {
    Out out(sink);
    write_grid(*grid, out);
    return {};
  }
  const auto topology = make_image_topology(network);
  if (!topology) return Failure(topology.error());
  const std::uint64_t count = (*topology)->machine_count();
  if (const auto leaves = first_of_leaves(**topology); !leaves.empty() && leaves.size() <= max_in_table) {
    const Distances table = distances_of(**topology, leaves);
    if (auto reachable = check_reachable(**topology, leaves, table); !reachable) return reachable;
    const std::uint64_t length = count / leaves.size();
    const std::uint32_t within = length > 1 ? hops(**topology, 0, 1) : 0;
    const auto levels = levels_of(table);
    const bool is_tree = leaves.size() == 1 || (!levels.empty() && levels.front().distance > within);
    if (is_tree && within != unreachable) {
      Out out(sink);
      write_tree(levels, length, within, out);
      return {};
    }
  }
  if (count > max_in_table) {
    return fail(
        "Scotch needs a table of distances for this network, and {} machines are too many for one: {} are the most",
        count, max_in_table);
  }
  std::vector<ObjectId> machines(count);
  std::iota(machines.begin(), machines.end(), 0);
  const Distances table = distances_of(**topology, machines);
  if (auto reachable = check_reachable(**topology, machines, table); !reachable) return reachable;
  Out out(sink);
  write_table(table, out);
  return {};
}

}  // namespace ayatori::exports
