#include "ayatori/topology/queries.hpp"

namespace ayatori {

ObjectId child_of_grid(const Topology& topology, ObjectId grid, ObjectId object) {
  const std::uint32_t count = topology.parent_count(object);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ObjectId parent = topology.parent(object, i);
    if (parent == grid) return object;
    if (const ObjectId child = child_of_grid(topology, grid, parent); child != no_object) return child;
  }
  return no_object;
}

std::optional<std::uint64_t> point_in_grid(const Topology& topology, ObjectId grid, ObjectId object) {
  const ObjectId child = child_of_grid(topology, grid, object);
  return child == no_object ? std::nullopt : std::optional(topology.grid_point(grid, child));
}

std::vector<std::uint32_t> coordinates_of_point(const GridShape& shape, std::uint64_t point) {
  std::vector<std::uint32_t> coordinates(shape.dimensions.size());
  for (std::size_t i = coordinates.size(); i-- > 0; point /= shape.dimensions[i]) {
    coordinates[i] = static_cast<std::uint32_t>(point % shape.dimensions[i]);
  }
  return coordinates;
}

std::vector<std::int32_t> machine_coordinates(const Topology& topology, ObjectId grid) {
  const GridShape& shape = *topology.grid(grid);
  const std::size_t width = shape.dimensions.size();
  std::vector<std::int32_t> table(topology.machine_count() * width, -1);
  for (std::uint64_t i = 0; i < topology.machine_count(); ++i) {
    const auto point = point_in_grid(topology, grid, topology.machine(i));
    if (!point) continue;
    const auto coordinates = coordinates_of_point(shape, *point);
    for (std::size_t d = 0; d < width; ++d) table[i * width + d] = static_cast<std::int32_t>(coordinates[d]);
  }
  return table;
}

}  // namespace ayatori
