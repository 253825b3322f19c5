#include "ayatori/topology/network_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "ayatori/network/builder.hpp"
#include "link_back.hpp"

namespace ayatori {

namespace {

using Handle = NetworkBuilder::Handle;

constexpr std::uint64_t max_nodes = std::uint64_t{1} << 24;

/// The first virtual object over machines that have their routers built in.
std::optional<ObjectId> group_of_machines(const Topology& topology) {
  if (!topology.direct() || topology.max_height() == 0) return std::nullopt;
  const ObjectId first = topology.object_at(1, 0);
  return topology.kind(first) == ObjectKind::router ? std::nullopt : std::optional(first);
}

class NetworkMaker {
 public:
  explicit NetworkMaker(const Topology& topology) : topology_(topology), group_(group_of_machines(topology)) {}

  [[nodiscard]] Result<Network> make();

 private:
  using Links = std::vector<TopologyLink>;

  [[nodiscard]] Result<> check() const;
  [[nodiscard]] std::vector<ObjectId> routers_in_order() const;
  [[nodiscard]] Links links_up(ObjectId id, PlaneId plane) const;
  [[nodiscard]] PlaneId plane_of(ObjectId id) const;
  [[nodiscard]] std::string machine_name(ObjectId machine) const;
  void plug_in(Handle node, ObjectId id, const TopologyLink& link);
  void add_router(ObjectId id, std::string_view name, PlaneId plane);
  void add_nics(ObjectId machine, PlaneId plane);
  void add_nic(ObjectId machine, std::uint32_t index, PortNumber ports);
  [[nodiscard]] Result<> add_built_in();
  [[nodiscard]] Result<> plug_all();
  void tell_grid();

  const Topology& topology_;
  std::optional<ObjectId> group_;
  NetworkBuilder builder_;
  struct Plug {
    Handle node = no_id;
    LinkRate rate;
    std::uint32_t latency = 0;
  };
  std::vector<LinkEnds> ends_;
  std::vector<Plug> plugs_;  // parallel to ends_
};

/// In the order of a grid's points, so that the network can declare the grid.
std::vector<ObjectId> NetworkMaker::routers_in_order() const {
  std::vector<ObjectId> found;
  for (std::uint32_t height = 1; height <= topology_.max_height(); ++height) {
    const std::uint64_t count = topology_.count_at(height);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ObjectId id = topology_.object_at(height, i);
      if (topology_.kind(id) == ObjectKind::router) found.push_back(id);
    }
  }
  const auto place = [&](ObjectId id) {
    const std::uint32_t count = topology_.parent_count(id);
    const ObjectId above = count == 0 ? no_object : topology_.parent(id, count - 1);
    const bool in_grid = above != no_object && topology_.grid(above) != nullptr;
    return std::pair(in_grid ? topology_.grid_point(above, id) : 0, id);
  };
  std::ranges::sort(found, {}, place);
  return found;
}

NetworkMaker::Links NetworkMaker::links_up(ObjectId id, PlaneId plane) const {
  Links found;
  const std::uint32_t count = topology_.link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TopologyLink link = topology_.link(id, i);
    if (link.state == LinkState::up && link.plane == plane) found.push_back(link);
  }
  return found;
}

PlaneId NetworkMaker::plane_of(ObjectId id) const {
  return topology_.link_count(id) == 0 ? PlaneId{0} : topology_.link(id, 0).plane;
}

std::string NetworkMaker::machine_name(ObjectId machine) const {
  std::string name = topology_.name(machine);
  return name.empty() ? fmt::format("machine{}", machine) : name;
}

void NetworkMaker::plug_in(Handle node, ObjectId id, const TopologyLink& link) {
  ends_.emplace_back(id, link);
  plugs_.push_back({node, link.rate, link.latency});
}

void NetworkMaker::add_router(ObjectId id, std::string_view name, PlaneId plane) {
  std::uint32_t ports = 1;
  const auto links = links_up(id, plane);
  for (const TopologyLink& link : links) ports = std::max(ports, link.from_port);
  const Handle router =
      builder_.add_router(name, 0x0020'0000'0000'0000 + (builder_.device_count() << 8), static_cast<PortNumber>(ports));
  for (const TopologyLink& link : links) plug_in(router, id, link);
}

void NetworkMaker::add_nic(ObjectId machine, std::uint32_t index, PortNumber ports) {
  const std::string name = machine_name(machine);
  const TopologyNic nic = topology_.nic(machine, index);
  const std::string device = nic.device.empty() ? fmt::format("HCA-{}", index + 1) : std::string(nic.device);
  // Room for a GUID of each port after the NIC's.
  const Guid guid = 0x0010'0000'0000'0000 + (builder_.device_count() << 16);
  builder_.add_nic(fmt::format("{} {}", name, device), guid, ports, name, static_cast<std::uint16_t>(nic.rail));
}

/// All NICs of the machine on a plane, with their cables or without.
void NetworkMaker::add_nics(ObjectId machine, PlaneId plane) {
  const std::uint32_t count = topology_.nic_count(machine);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (topology_.nic(machine, index).plane != plane) continue;
    std::uint32_t ports = 1;
    const auto handle = static_cast<Handle>(builder_.device_count());
    for (const TopologyLink& link : links_up(machine, plane)) {
      if (link.from_nic != index) continue;
      ports = std::max(ports, link.from_port);
      plug_in(handle, machine, link);
    }
    add_nic(machine, index, static_cast<PortNumber>(ports));
  }
  // No machine is without a NIC.
  if (count == 0 && plane == 0) {
    const std::string name = machine_name(machine);
    builder_.add_nic(fmt::format("{} HCA-1", name), 0x0010'0000'0000'0000 + (builder_.device_count() << 16), 1, name,
                     0);
  }
}

Result<> NetworkMaker::add_built_in() {
  builder_.set_direct();
  std::vector<ObjectId> machines;
  for (std::uint64_t i = 0; i < topology_.machine_count(); ++i) machines.push_back(topology_.machine(i));
  if (topology_.grid(*group_) != nullptr) {
    std::ranges::sort(machines, {}, [&](ObjectId machine) { return topology_.grid_point(*group_, machine); });
  }
  for (const ObjectId machine : machines) {
    // Network order goes by the routers' names.
    const auto router = static_cast<Handle>(builder_.device_count());
    const std::string name = machine_name(machine);
    const std::string_view place = std::string_view(name).substr(name.starts_with('N') ? 1 : 0);
    add_router(machine, fmt::format("R{}", place), plane_of(machine));
    const auto nic = static_cast<Handle>(builder_.device_count());
    add_nic(machine, 0, 1);
    const LinkRate rate = topology_.link_count(machine) == 0 ? LinkRate{} : topology_.link(machine, 0).rate;
    if (auto plugged = builder_.connect(nic, 1, router, 1, rate); !plugged) return plugged;
  }
  return {};
}

Result<> NetworkMaker::plug_all() {
  const auto partners = pair_up(ends_);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (partners[i] == no_partner) {
      return fail("the link from port {} of '{}' has no link back", ends_[i].from_port, topology_.name(ends_[i].from));
    }
    const Plug& here = plugs_[i];
    auto plugged = builder_.connect(here.node, static_cast<PortNumber>(ends_[i].from_port), plugs_[partners[i]].node,
                                    static_cast<PortNumber>(ends_[i].to_port), here.rate, here.latency);
    if (!plugged) return plugged;
  }
  return {};
}

/// Only where the grid is all there is.
void NetworkMaker::tell_grid() {
  const std::uint32_t top = topology_.max_height();
  if (topology_.count_at(top) != 1) return;
  const ObjectId root = topology_.object_at(top, 0);
  const GridShape* shape = topology_.grid(root);
  if (shape == nullptr || !shape->dense) return;
  builder_.set_grid({shape->dimensions, shape->periodic});
}

Result<> NetworkMaker::check() const {
  std::uint64_t nodes = topology_.machine_count() * (group_ ? 2 : 1);
  for (std::uint32_t height = 1; height <= topology_.max_height(); ++height) nodes += topology_.count_at(height);
  if (nodes > max_nodes) {
    return fail("an explicit network may have {} nodes, this one has {}", max_nodes, nodes);
  }
  std::unordered_set<std::string> names;
  for (std::uint64_t i = 0; i < topology_.machine_count(); ++i) {
    const std::string name = machine_name(topology_.machine(i));
    if (!names.insert(name).second) return fail("two machines are called '{}'", name);
  }
  constexpr std::uint32_t max_ports = std::numeric_limits<PortNumber>::max();
  for (std::uint32_t height = 0; height <= topology_.max_height(); ++height) {
    const std::uint64_t count = topology_.count_at(height);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ObjectId id = topology_.object_at(height, i);
      const std::uint32_t links = topology_.link_count(id);
      for (std::uint32_t j = 0; j < links; ++j) {
        const std::uint32_t port = topology_.link(id, j).from_port;
        if (port > max_ports) return fail("'{}' has a port {}: {} is the most", topology_.name(id), port, max_ports);
      }
    }
  }
  return {};
}

Result<Network> NetworkMaker::make() {
  if (auto checked = check(); !checked) return Failure(checked.error());
  const auto routers = routers_in_order();
  const auto planes = topology_.planes();
  for (std::size_t plane = 0; plane < std::max<std::size_t>(1, planes.size()); ++plane) {
    if (planes.empty()) {
      builder_.begin_plane("infiniband");
    } else {
      builder_.begin_plane(planes[plane].name, planes[plane].use);
    }
    const auto number = static_cast<PlaneId>(plane);
    if (group_) {
      if (plane > 0) continue;
      if (auto added = add_built_in(); !added) return Failure(added.error());
      continue;
    }
    for (const ObjectId router : routers) {
      if (plane_of(router) == number) add_router(router, topology_.name(router), number);
    }
    for (std::uint64_t i = 0; i < topology_.machine_count(); ++i) add_nics(topology_.machine(i), number);
  }
  if (auto plugged = plug_all(); !plugged) return Failure(plugged.error());
  tell_grid();
  for (const std::string& warning : topology_.warnings()) builder_.add_warning(warning);
  return builder_.build();
}

}  // namespace

Result<Network> network_of(const Topology& topology) { return NetworkMaker(topology).make(); }

}  // namespace ayatori
