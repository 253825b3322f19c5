#include "image_topology.hpp"

#include <algorithm>

#include "ayatori/topology/grid.hpp"
#include "image_reader.hpp"

namespace ayatori {

namespace {

using image::none;

/// Indices number the image's objects; ids are the same unless it holds a subset.
class ImageTopology final : public Topology {
 public:
  ImageTopology(ImageBytes bytes, image::Arrays reader, std::vector<GridShape> shapes, TopologyPtr transit)
      : bytes_(std::move(bytes)),
        image_(std::move(reader)),
        shapes_(std::move(shapes)),
        planes_(image_.planes()),
        devices_(image_.devices()),
        warnings_(image_.warnings()),
        transit_(std::move(transit)) {}

  ObjectId id_end() const override { return image_.header.objects == 0 ? 0 : id_of(image_.header.objects - 1) + 1; }
  bool contains(ObjectId id) const override { return index_of(id) != none; }
  std::uint64_t machine_count() const override { return image_.header.machines; }
  ObjectId machine(std::uint64_t index) const override { return id_of(static_cast<std::uint32_t>(index)); }
  std::uint64_t machine_index(ObjectId machine) const override;

  std::uint32_t max_height() const override { return static_cast<std::uint32_t>(image_.height_ends.size()); }
  std::uint64_t count_at(std::uint32_t height) const override;
  ObjectId object_at(std::uint32_t height, std::uint64_t index) const override;

  ObjectKind kind(ObjectId id) const override;
  std::uint32_t height(ObjectId id) const override;
  std::uint32_t parent_count(ObjectId id) const override;
  ObjectId parent(ObjectId id, std::uint32_t index) const override;
  std::uint64_t child_count(ObjectId id) const override;
  ObjectId child(ObjectId id, std::uint64_t index) const override;

  std::string name(ObjectId id) const override;
  std::optional<ObjectId> find(std::string_view name) const override;
  std::uint32_t nic_count(ObjectId machine) const override { return image_.machine_kind(index_of(machine)).nics; }
  TopologyNic nic(ObjectId machine, std::uint32_t index) const override;
  Guid router_guid(ObjectId router) const override;
  std::span<const Plane> planes() const override { return planes_; }
  std::span<const std::string> warnings() const override { return warnings_; }

  bool direct() const override { return image_.header.form == image::Form::direct_network; }
  const GridShape* grid(ObjectId id) const override;
  ObjectId grid_child(ObjectId grid, std::uint64_t point) const override;
  std::uint64_t grid_point(ObjectId grid, ObjectId child) const override;

  std::uint32_t link_count(ObjectId id) const override;
  TopologyLink link(ObjectId id, std::uint32_t index) const override;

  TopologyPtr transit() const override { return transit_; }

  std::size_t shared_bytes() const override { return bytes_.shared ? bytes_.bytes.size() : 0; }
  std::size_t private_bytes() const override;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_.bytes; }

 private:
  [[nodiscard]] ObjectId id_of(std::uint32_t index) const { return image_.ids.empty() ? index : image_.ids[index]; }
  [[nodiscard]] std::uint32_t index_of(ObjectId id) const;
  [[nodiscard]] bool is_machine(std::uint32_t index) const { return index < image_.header.machines; }
  [[nodiscard]] image::Other other(std::uint32_t index) const { return image_.others[index - image_.header.machines]; }
  /// Virtual objects come last, so that their order is that of the groups.
  [[nodiscard]] std::uint32_t group_number(std::uint32_t index) const {
    const auto after_routers = static_cast<std::uint32_t>(image_.header.objects - image_.groups.size());
    return index < after_routers ? none : index - after_routers;
  }
  [[nodiscard]] std::span<const std::uint32_t> members(std::uint32_t group) const {
    return image_.members.part(image_.groups[group].first_member, image_.groups[group].members);
  }
  /// Numbers of the groups that an object is in.
  [[nodiscard]] std::span<const std::uint32_t> groups_above(std::uint32_t index) const {
    return image_.groups_above_of(index);
  }
  [[nodiscard]] std::uint32_t owner_of(std::uint32_t link) const;
  [[nodiscard]] ObjectId neighbour(std::uint32_t index, std::uint64_t place) const;

  ImageBytes bytes_;
  image::Arrays image_;
  std::vector<GridShape> shapes_;  // by group
  std::vector<Plane> planes_;
  std::vector<std::string> devices_;  // names of NICs
  std::vector<std::string> warnings_;
  TopologyPtr transit_;  // reads a part of the bytes; nullptr: packets stay within the image
};

std::uint32_t ImageTopology::index_of(ObjectId id) const {
  if (image_.ids.empty()) return id < image_.header.objects ? static_cast<std::uint32_t>(id) : none;
  const auto ids = image_.ids.span();
  const auto found = std::ranges::lower_bound(ids, id);
  return found == ids.end() || *found != id ? none : static_cast<std::uint32_t>(found - ids.begin());
}

std::uint64_t ImageTopology::machine_index(ObjectId machine) const {
  const std::uint32_t index = index_of(machine);
  return is_machine(index) ? index : no_object;
}

std::uint64_t ImageTopology::count_at(std::uint32_t height) const {
  if (height == 0) return machine_count();
  const std::uint64_t begin = height == 1 ? 0 : image_.height_ends[height - 2];
  const std::uint64_t end = image_.height_ends[height - 1];
  return end < begin ? 0 : std::min<std::uint64_t>(end - begin, image_.by_height.size());
}

ObjectId ImageTopology::object_at(std::uint32_t height, std::uint64_t index) const {
  if (height == 0) return machine(index);
  const std::uint64_t begin = height == 1 ? 0 : image_.height_ends[height - 2];
  return id_of(image_.by_height[begin + index]);
}

ObjectKind ImageTopology::kind(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  if (is_machine(index)) return ObjectKind::machine;
  if (group_number(index) == none) return ObjectKind::router;
  const auto shape = static_cast<ObjectKind>(other(index).kind);
  return shape == ObjectKind::grid || shape == ObjectKind::full ? shape : ObjectKind::graph;
}

std::uint32_t ImageTopology::height(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  return is_machine(index) ? 0 : other(index).height;
}

std::uint32_t ImageTopology::parent_count(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  return image_.parents(index) + static_cast<std::uint32_t>(groups_above(index).size());
}

ObjectId ImageTopology::parent(ObjectId id, std::uint32_t i) const {
  const std::uint32_t index = index_of(id);
  const std::uint32_t routers = image_.parents(index);
  if (i >= routers) return id_of(image_.groups[groups_above(index)[i - routers]].object);
  return neighbour(index, i + (is_machine(index) ? 0U : image_.below[index]));
}

std::uint64_t ImageTopology::child_count(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  if (is_machine(index)) return 0;
  const std::uint32_t group = group_number(index);
  return group == none ? image_.below[index] : members(group).size();
}

ObjectId ImageTopology::child(ObjectId id, std::uint64_t i) const {
  const std::uint32_t index = index_of(id);
  const std::uint32_t group = group_number(index);
  return group == none ? neighbour(index, i) : id_of(members(group)[i]);
}

std::uint32_t ImageTopology::owner_of(std::uint32_t link) const {
  const std::uint32_t stride = link / image::owner_stride;
  std::uint32_t low = image_.owners[stride];
  std::uint32_t high = stride + 1 < image_.owners.size() ? image_.owners[stride + 1] : image_.header.objects - 1;
  while (low < high) {
    const std::uint32_t middle = high - (high - low) / 2;  // overflows for no bounds, even forged ones
    if (image_.first_links[middle] <= link) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return std::min(low, image_.header.objects - 1);
}

ObjectId ImageTopology::neighbour(std::uint32_t index, std::uint64_t place) const {
  const std::size_t first = image_.first_links[index];
  return id_of(owner_of(image_.links[first + image_.link_to_relative(index, place)]));
}

std::string ImageTopology::name(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  const std::uint32_t group = group_number(index);
  return std::string(group == none ? image_.name(index) : to_word(kind(id)));
}

std::optional<ObjectId> ImageTopology::find(std::string_view name) const {
  const auto found = image_.find(name);
  return found ? std::optional(id_of(*found)) : std::nullopt;
}

const GridShape* ImageTopology::grid(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  const std::uint32_t group = group_number(index);
  return group == none || kind(id) != ObjectKind::grid ? nullptr : &shapes_[group];
}

ObjectId ImageTopology::grid_child(ObjectId grid, std::uint64_t point) const {
  const std::uint32_t group = group_number(index_of(grid));
  const image::Group record = image_.groups[group];
  const auto order = image_.by_point.part(record.first_member, record.members);
  const auto point_of = [&](std::uint32_t member) -> std::uint64_t {
    return image_.member_points[std::uint64_t{record.first_member} + member];
  };
  const auto found = std::ranges::lower_bound(order, point, {}, point_of);
  if (found == order.end() || point_of(*found) != point || *found >= members(group).size()) return no_object;
  return id_of(members(group)[*found]);
}

std::uint64_t ImageTopology::grid_point(ObjectId grid, ObjectId child) const {
  const std::uint32_t group = group_number(index_of(grid));
  const auto inside = members(group);
  const auto place = static_cast<std::size_t>(std::ranges::lower_bound(inside, index_of(child)) - inside.begin());
  const std::uint64_t point = image_.member_points[image_.groups[group].first_member + place];
  return std::min(point, shapes_[group].points() - 1);
}

std::uint32_t ImageTopology::link_count(ObjectId id) const {
  const std::uint32_t index = index_of(id);
  const std::uint32_t begin = image_.first_links[index];
  const std::uint32_t end = image_.first_links[index + 1];
  return end < begin ? 0 : std::min<std::uint32_t>(end - begin, static_cast<std::uint32_t>(image_.links.size()));
}

TopologyLink ImageTopology::link(ObjectId id, std::uint32_t i) const {
  const std::uint32_t here = image_.first_links[index_of(id)] + i;
  const std::uint32_t back = image_.links[here];
  const image::LinkKind kind = image_.kinds[image_.link_kinds[here]];
  const image::LinkKind there = image_.kinds[image_.link_kinds[back]];
  const auto nic_of = [](const image::LinkKind& end) { return end.nic == image::no_nic_number ? no_nic : end.nic; };
  TopologyLink link;
  link.to = id_of(owner_of(back));
  link.from_port = kind.port;
  link.to_port = there.port;
  link.from_nic = nic_of(kind);
  link.to_nic = nic_of(there);
  link.plane = kind.plane < planes_.size() ? kind.plane : PlaneId{0};
  link.rate = {kind.width, static_cast<LaneSpeed>(kind.speed), kind.megabits};
  link.latency = kind.latency;
  link.state = kind.state == 0 ? LinkState::up : LinkState::taken_out;
  link.degraded = kind.degraded != 0;
  return link;
}

TopologyNic ImageTopology::nic(ObjectId machine, std::uint32_t i) const {
  const std::uint32_t index = index_of(machine);
  const image::NicKind kind = image_.nic_kinds[std::size_t{image_.machine_kind(index).first_nic} + i];
  TopologyNic nic;
  nic.rail = kind.rail;
  nic.plane = kind.plane;
  nic.guid = image_.guid(std::uint64_t{image_.nics_before(index)} + i);
  if (kind.device < devices_.size()) nic.device = devices_[kind.device];
  return nic;
}

Guid ImageTopology::router_guid(ObjectId router) const {
  return image_.guid(std::uint64_t{image_.header.nics} + index_of(router) - image_.header.machines);
}

std::size_t ImageTopology::private_bytes() const {
  std::size_t bytes = sizeof *this + planes_.size() * sizeof(Plane) + devices_.size() * sizeof(std::string) +
                      shapes_.size() * sizeof(GridShape);
  for (const GridShape& shape : shapes_) bytes += shape.dimensions.size() * 3 * sizeof(std::uint32_t);
  for (const std::string& warning : warnings_) bytes += sizeof warning + warning.capacity();
  if (transit_) bytes += transit_->private_bytes();
  return bytes + (bytes_.shared ? 0 : bytes_.bytes.size());
}

/// Host names stay where they are.
Result<TopologyPtr> grid_of(ImageBytes bytes, image::Arrays reader) {
  auto shape = reader.shape(0, reader.dimensions.size(), true);
  if (!shape) return Failure(shape.error());
  if (reader.header.objects != 0 && reader.header.objects != shape->points()) {
    return fail("a grid has {} names", reader.header.objects);
  }
  GridFormula formula;
  formula.dimensions = std::move(shape->dimensions);
  formula.periodic = std::move(shape->periodic);
  const image::LinkKind properties = reader.kinds[0];
  formula.rate = {properties.width, static_cast<LaneSpeed>(properties.speed), properties.megabits};
  formula.latency = properties.latency;
  formula.plane = reader.planes().front().name;
  if (reader.header.objects != 0) {
    struct Names {
      ImageBytes bytes;
      image::Arrays reader;
    };
    const auto names = std::make_shared<const Names>(std::move(bytes), std::move(reader));
    formula.name = [names](std::uint64_t point) { return std::string(names->reader.name(point)); };
    formula.find = [names](std::string_view name) -> std::optional<std::uint64_t> { return names->reader.find(name); };
  }
  return make_grid_topology(std::move(formula));
}

/// Whether the grids of one topology that are as large in the other have the same objects at the same points there.
bool grids_agree(const Topology& inner, const Topology& outer, const image::Arrays& reader) {
  for (const image::Group& group : reader.groups.span()) {
    const ObjectId id = reader.ids.empty() ? group.object : reader.ids[group.object];
    const GridShape* const shape = outer.grid(id);
    const GridShape* const other = inner.contains(id) ? inner.grid(id) : nullptr;
    if (shape == nullptr || other == nullptr || shape->dimensions != other->dimensions) continue;
    for (std::uint64_t i = 0; i < outer.child_count(id); ++i) {
      const ObjectId child = outer.child(id, i);
      if (inner.grid_child(id, outer.grid_point(id, child)) != child) return false;
    }
  }
  return true;
}

/// The topology that packets travel in has everything that the other one has; its own bytes count as part of those.
Result<TopologyPtr> transit_of(const ImageBytes& bytes, const image::Arrays& reader, std::string_view name,
                               bool check) {
  const ImageBytes inner{bytes.owner, reader.transit.span(), true};
  auto transit = topology_of(inner, name, check);
  if (!transit) return transit;
  if ((*transit)->transit()) return fail("{}: this cache is damaged: it has more than one network inside", name);
  for (std::uint32_t i = 0; i < reader.header.objects - reader.groups.size(); ++i) {
    const ObjectId id = reader.ids.empty() ? i : reader.ids[i];
    const ObjectKind kind = i < reader.header.machines ? ObjectKind::machine : ObjectKind::router;
    if (!(*transit)->contains(id) || (*transit)->kind(id) != kind) {
      return fail("{}: this cache is damaged: packets travel in a network without object {}", name, id);
    }
  }
  return transit;
}

}  // namespace

Result<TopologyPtr> topology_of(ImageBytes bytes, std::string_view name, bool check) {
  auto reader = image::read(bytes.bytes, name, check);
  if (!reader) return Failure(reader.error());
  const auto damaged = [&](const Error& error) {
    return with_cause(fail("{}: this cache is damaged", name), error.message);
  };
  if (reader->header.form == image::Form::formula) {
    auto grid = grid_of(std::move(bytes), std::move(*reader));
    if (!grid) return damaged(grid.error());
    return grid;
  }
  std::vector<GridShape> shapes;
  for (const image::Group& group : reader->groups.span()) {
    auto shape = reader->shape(group.first_dimension, group.dimensions, group.dense != 0);
    if (!shape) return damaged(shape.error());
    shapes.push_back(std::move(*shape));
  }
  Result<TopologyPtr> transit = nullptr;
  if (!reader->transit.empty()) transit = transit_of(bytes, *reader, name, check);
  if (!transit) return transit;
  auto image = std::make_shared<ImageTopology>(std::move(bytes), *reader, std::move(shapes), *transit);
  if (*transit && !grids_agree(**transit, *image, *reader)) {
    return fail("{}: this cache is damaged: packets travel in another grid", name);
  }
  return image;
}

std::span<const std::byte> image_bytes(const Topology& topology) {
  const auto* image = dynamic_cast<const ImageTopology*>(&topology);
  return image == nullptr ? std::span<const std::byte>{} : image->bytes();
}

}  // namespace ayatori
