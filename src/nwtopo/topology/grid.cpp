#include "ayatori/topology/grid.hpp"

#include <fmt/core.h>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

/// Machines have the ids 0 … points − 1, the grid the next one.
class GridTopology final : public Topology {
 public:
  explicit GridTopology(GridFormula formula)
      : formula_(std::move(formula)),
        shape_{formula_.dimensions,
               formula_.periodic,
               std::vector<std::uint32_t>(formula_.dimensions.size()),
               true,
               {},
               true},
        points_(shape_.points()),
        planes_{Plane{formula_.plane, {}}} {}

  ObjectId id_end() const override { return points_ + 1; }
  bool contains(ObjectId id) const override { return id <= points_; }
  std::uint64_t machine_count() const override { return points_; }
  ObjectId machine(std::uint64_t index) const override { return index; }
  std::uint64_t machine_index(ObjectId machine) const override { return machine < points_ ? machine : no_object; }

  std::uint32_t max_height() const override { return 1; }
  std::uint64_t count_at(std::uint32_t height) const override { return height == 0 ? points_ : height == 1 ? 1 : 0; }
  ObjectId object_at(std::uint32_t height, std::uint64_t index) const override { return height == 0 ? index : points_; }

  ObjectKind kind(ObjectId id) const override { return id < points_ ? ObjectKind::machine : ObjectKind::grid; }
  std::uint32_t height(ObjectId id) const override { return id < points_ ? 0 : 1; }
  std::uint32_t parent_count(ObjectId id) const override { return id < points_ ? 1 : 0; }
  ObjectId parent(ObjectId, std::uint32_t) const override { return points_; }
  std::uint64_t child_count(ObjectId id) const override { return id < points_ ? 0 : points_; }
  ObjectId child(ObjectId, std::uint64_t index) const override { return index; }

  std::string name(ObjectId id) const override;
  std::optional<ObjectId> find(std::string_view name) const override;
  std::uint32_t nic_count(ObjectId) const override { return 1; }
  TopologyNic nic(ObjectId, std::uint32_t) const override { return {}; }
  Guid router_guid(ObjectId) const override { return 0; }
  std::span<const Plane> planes() const override { return planes_; }

  bool direct() const override { return true; }
  const GridShape* grid(ObjectId id) const override { return id == points_ ? &shape_ : nullptr; }
  ObjectId grid_child(ObjectId, std::uint64_t point) const override { return point; }
  std::uint64_t grid_point(ObjectId, ObjectId child) const override { return child; }

  std::uint32_t link_count(ObjectId id) const override;
  TopologyLink link(ObjectId id, std::uint32_t index) const override;

  [[nodiscard]] const GridFormula& formula() const { return formula_; }

  std::size_t shared_bytes() const override { return 0; }
  std::size_t private_bytes() const override {
    return sizeof *this + planes_.size() * sizeof(Plane) + formula_.dimensions.size() * 3 * sizeof(std::uint32_t);
  }

 private:
  [[nodiscard]] bool has_cable(std::uint32_t coordinate, std::size_t dimension, bool up) const;
  template <typename Visit>
  void visit_cables(ObjectId id, Visit visit) const;

  GridFormula formula_;
  GridShape shape_;
  std::uint64_t points_;
  std::vector<Plane> planes_;
};

/// A ring of two has one cable: the machine below has it upwards.
bool GridTopology::has_cable(std::uint32_t coordinate, std::size_t dimension, bool up) const {
  const std::uint32_t length = shape_.dimensions[dimension];
  const bool at_edge = up ? coordinate + 1 == length : coordinate == 0;
  return !at_edge || (shape_.periodic[dimension] && length > 2);
}

/// Calls visit(dimension, up, coordinate, stride) for each cable, by rising port number, until it gives true.
template <typename Visit>
void GridTopology::visit_cables(ObjectId id, Visit visit) const {
  std::uint64_t stride = points_;
  std::uint64_t rest = id;
  for (std::size_t i = 0; i < shape_.dimensions.size(); ++i) {
    stride /= shape_.dimensions[i];
    const auto coordinate = static_cast<std::uint32_t>(rest / stride);
    rest %= stride;
    for (const bool up : {true, false}) {
      if (has_cable(coordinate, i, up) && visit(i, up, coordinate, stride)) return;
    }
  }
}

std::uint32_t GridTopology::link_count(ObjectId id) const {
  if (id >= points_) return 0;
  std::uint32_t count = 0;
  visit_cables(id, [&](std::size_t, bool, std::uint32_t, std::uint64_t) { return ++count, false; });
  return count;
}

TopologyLink GridTopology::link(ObjectId id, std::uint32_t index) const {
  TopologyLink link;
  link.rate = formula_.rate;
  link.latency = formula_.latency;
  visit_cables(id, [&](std::size_t dimension, bool up, std::uint32_t coordinate, std::uint64_t stride) {
    if (index-- != 0) return false;
    const std::uint32_t last = shape_.dimensions[dimension] - 1;
    const bool around = coordinate == (up ? last : 0);
    const std::uint64_t distance = around ? stride * last : stride;
    link.to = up != around ? id + distance : id - distance;
    const auto port_up = static_cast<std::uint32_t>(2 * dimension + 2);
    link.from_port = up ? port_up : port_up + 1;
    link.to_port = up ? port_up + 1 : port_up;
    return true;
  });
  return link;
}

std::string GridTopology::name(ObjectId id) const {
  if (id >= points_) return "grid";
  if (formula_.name) return formula_.name(id);
  std::string text = "N";
  std::uint64_t stride = points_;
  for (const std::uint32_t length : shape_.dimensions) {
    stride /= length;
    text += fmt::format("{}{}", text.size() == 1 ? "" : "-", id / stride % length);
  }
  return text;
}

std::optional<ObjectId> GridTopology::find(std::string_view name) const {
  if (formula_.find) return formula_.find(name);
  if (!name.starts_with('N')) return std::nullopt;
  const auto coordinates = split(name.substr(1), '-');
  if (coordinates.size() != shape_.dimensions.size()) return std::nullopt;
  ObjectId id = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto coordinate = parse_unsigned<std::uint32_t>(coordinates[i]);
    if (!coordinate || *coordinate >= shape_.dimensions[i]) return std::nullopt;
    id = id * shape_.dimensions[i] + *coordinate;
  }
  return this->name(id) == name ? std::optional(id) : std::nullopt;  // "N01" is not a name
}

}  // namespace

TopologyPtr make_grid_topology(GridFormula formula) { return std::make_shared<GridTopology>(std::move(formula)); }

const GridFormula* formula_of(const Topology& topology) {
  const auto* grid = dynamic_cast<const GridTopology*>(&topology);
  return grid == nullptr ? nullptr : &grid->formula();
}

}  // namespace ayatori
