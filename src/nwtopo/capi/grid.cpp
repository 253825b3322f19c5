// Coordinates in a mesh or torus. A point is a row-major number, the last coordinate running fastest.

#include <cerrno>

#include "ayatori/topology/queries.hpp"
#include "handle.hpp"

namespace ayatori::capi {

namespace {

/// A grid of a topology.
struct Grid {
  const Loaded* loaded = nullptr;
  ObjectId id = no_object;
  const GridShape* shape = nullptr;

  explicit operator bool() const { return shape != nullptr; }
  [[nodiscard]] std::size_t dimensions() const { return shape->dimensions.size(); }
};

Grid grid_of(nwtopo_topology_t handle, nwtopo_obj_t object) {
  const Loaded* const here = loaded(handle);
  const ObjectId id = here == nullptr ? no_object : id_of(*here, object, "the grid");
  if (id == no_object) return {};
  if (const GridShape* const shape = here->topology->grid(id)) return {here, id, shape};
  refuse(EINVAL, "object {} is a {}: expected a grid", id, to_word(here->topology->kind(id)));
  return {};
}

constexpr std::uint64_t no_point = ~std::uint64_t{0};

/// Where an object lies; no_point, with errno and a message, if it is not under the grid.
std::uint64_t point_of(const Grid& grid, nwtopo_obj_t object) {
  const ObjectId id = id_of(*grid.loaded, object);
  if (id == no_object) return no_point;
  if (const auto point = point_in_grid(*grid.loaded->topology, grid.id, id)) return *point;
  refuse(EINVAL, "object {} is not under the grid", id);
  return no_point;
}

/// The number of the point at `coords`; no_point, with errno and a message, if one of them is out of range.
std::uint64_t point_at(const Grid& grid, const int* coords) {
  std::uint64_t point = 0;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const std::uint32_t length = grid.shape->dimensions[i];
    if (coords[i] < 0 || static_cast<unsigned>(coords[i]) >= length) {
      refuse(EINVAL, "coordinate {} is {}: the grid has 0 to {}", i, coords[i], length - 1);
      return no_point;
    }
    point = point * length + static_cast<unsigned>(coords[i]);
  }
  return point;
}

/// `coordinate` moved by `shift`, around the edge of a periodic dimension; nothing beyond the edge of another.
std::optional<std::uint32_t> moved(std::uint32_t coordinate, int shift, std::uint32_t length, bool periodic) {
  std::int64_t to = std::int64_t{coordinate} + shift;
  if (to < 0 || to >= length) {
    if (!periodic) return std::nullopt;
    to %= length;
    if (to < 0) to += length;
  }
  return static_cast<std::uint32_t>(to);
}

/// The point that lies shift_of(dimension) away; no_point, with errno and a message, beyond an edge.
template <typename ShiftOf>
std::uint64_t shifted(const Grid& grid, std::uint64_t from, ShiftOf shift_of) {
  const GridShape& shape = *grid.shape;
  // Loading refuses more points than 32 bits can number, and their divisions take half the time.
  auto rest = static_cast<std::uint32_t>(from);
  std::uint64_t point = 0;
  std::uint64_t stride = 1;
  for (std::size_t i = shape.dimensions.size(); i-- > 0; stride *= shape.dimensions[i]) {
    const std::uint32_t length = shape.dimensions[i];
    const auto to = moved(rest % length, shift_of(i), length, shape.periodic[i]);
    if (!to) {
      refuse(ENOENT, "coordinate {} is {}: a shift by {} leads out of the grid", i, rest % length, shift_of(i));
      return no_point;
    }
    point += *to * stride;
    rest /= length;
  }
  return point;
}

/// The same along one dimension only.
std::uint64_t shifted_along(const Grid& grid, std::uint64_t from, std::size_t dimension, int shift) {
  const GridShape& shape = *grid.shape;
  std::uint32_t stride = 1;
  for (std::size_t i = shape.dimensions.size(); i-- > dimension + 1;) stride *= shape.dimensions[i];
  const std::uint32_t length = shape.dimensions[dimension];
  const std::uint32_t coordinate = static_cast<std::uint32_t>(from) / stride % length;
  const auto to = moved(coordinate, shift, length, shape.periodic[dimension]);
  if (to) return from + (std::uint64_t{*to} - coordinate) * stride;
  refuse(ENOENT, "coordinate {} is {}: a shift by {} leads out of the grid", dimension, coordinate, shift);
  return no_point;
}

int give_object_at(const Grid& grid, std::uint64_t point, nwtopo_obj_t* objp) {
  if (point == no_point) return failed;
  const ObjectId id = grid.loaded->topology->grid_child(grid.id, point);
  if (id == no_object) return refuse(ENOENT, "the grid has no object at this place");
  *objp = object_of(*grid.loaded, id);
  return *objp == nullptr ? -1 : 0;
}

/// The body of the functions that look for an object: point_in(grid) says at which point.
template <typename PointIn>
int look_up(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t* objp, PointIn point_in) {
  return guarded([&]() -> int {
    if (objp == nullptr) return refuse(EINVAL, "the pointer to the object is NULL");
    *objp = nullptr;
    const Grid found = grid_of(topology, grid);
    return found ? give_object_at(found, point_in(found), objp) : -1;
  });
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori::capi;

extern "C" {

int nwtopo_grid_get_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, int* coords, nwtopo_obj_t* objp) {
  return look_up(topology, grid, objp, [&](const Grid& found) {
    if (coords != nullptr) return point_at(found, coords);
    refuse(EINVAL, "the coordinates are NULL");
    return no_point;
  });
}

int nwtopo_grid_get_shifted_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base, int* shifts,
                                nwtopo_obj_t* objp) {
  return look_up(topology, grid, objp, [&](const Grid& found) {
    if (shifts == nullptr) {
      refuse(EINVAL, "the shifts are NULL");
      return no_point;
    }
    const std::uint64_t from = point_of(found, base);
    return from == no_point ? no_point : shifted(found, from, [&](std::size_t i) { return shifts[i]; });
  });
}

int nwtopo_grid_get_neighbor_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base, unsigned direction,
                                 int shift, nwtopo_obj_t* objp) {
  return look_up(topology, grid, objp, [&](const Grid& found) {
    if (direction >= found.dimensions()) {
      refuse(EINVAL, "no direction {}: the grid has {} dimensions", direction, found.dimensions());
      return no_point;
    }
    const std::uint64_t from = point_of(found, base);
    return from == no_point ? no_point : shifted_along(found, from, direction, shift);
  });
}

int nwtopo_grid_get_dimensions(nwtopo_topology_t topology, nwtopo_obj_t grid, int* dimensions) {
  return guarded([&]() -> int {
    const Grid found = grid_of(topology, grid);
    if (!found) return failed;
    if (dimensions == nullptr) return refuse(EINVAL, "the pointer to the dimensions is NULL");
    for (std::size_t i = 0; i < found.dimensions(); ++i) dimensions[i] = static_cast<int>(found.shape->dimensions[i]);
    return 0;
  });
}

int nwtopo_grid_get_coords(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t obj, int* coords) {
  return guarded([&]() -> int {
    const Grid found = grid_of(topology, grid);
    if (!found) return failed;
    if (coords == nullptr) return refuse(EINVAL, "the pointer to the coordinates is NULL");
    std::uint64_t rest = point_of(found, obj);
    if (rest == no_point) return failed;
    for (std::size_t i = found.dimensions(); i-- > 0;) {
      coords[i] = static_cast<int>(rest % found.shape->dimensions[i]);
      rest /= found.shape->dimensions[i];
    }
    return 0;
  });
}

}  // extern "C"
