#pragma once
/// \file
/// Grids as a formula: nothing is stored per machine.

#include <functional>
#include <vector>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// A torus or mesh of machines with built-in routers, one at each point. Rings of length 2 have one link, not two.
struct GridFormula {
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;
  LinkRate rate;
  std::uint32_t latency = 0;  ///< nanoseconds, 0: not known
  std::string plane = "infiniband";
  /// Host name of the machine at a point; empty function: "N3-0-15", the coordinates.
  std::function<std::string(std::uint64_t point)> name;
  /// The inverse of `name`, given with it.
  std::function<std::optional<std::uint64_t>(std::string_view name)> find;
};

/// Ports as in the explicit network of the same formula (synthetic.hpp): 1 is the machine's own, then for each
/// dimension the neighbour above and the one below. Machine ids are points; the grid's id is the number of points.
[[nodiscard]] TopologyPtr make_grid_topology(GridFormula formula);

/// The formula of a Topology that make_grid_topology made; nullptr for all others. Lives as long as the Topology.
[[nodiscard]] const GridFormula* formula_of(const Topology& topology);

}  // namespace ayatori
