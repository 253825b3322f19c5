#include "ayatori/drawing/cable_graph.hpp"

#include <fmt/core.h>

#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "ayatori/network/levels.hpp"

namespace ayatori::drawing {

namespace {

class Gathering {
 public:
  explicit Gathering(const Network& network) : network_(network), vertex_of_(network.device_count(), no_id) {}

  CableGraph gather() {
    if (!network_.direct()) add_routers();
    add_machines();
    add_cables();
    return std::move(found_);
  }

 private:
  void add_routers() {
    const auto levels = rank_levels(network_);
    for (DeviceId id = 0; id < network_.router_count(); ++id) {
      vertex_of_[id] = id;
      found_.vertices.push_back({no_id, id, std::string(network_.name(id)), levels ? levels->level[id] + 1 : -1});
    }
    tree_ = levels.has_value() && network_.router_count() > 0;
  }

  void add_machines() {
    std::vector<std::uint32_t> index_of(network_.machines().size());
    for (const MachineId id : network_.machines_in_order()) {
      index_of[id] = static_cast<std::uint32_t>(found_.vertices.size());
      found_.vertices.push_back({id, no_id, network_.machine(id).name, tree_ ? 0 : -1});
    }
    for (DeviceId device = 0; device < network_.device_count(); ++device) {
      const MachineId machine = network_.device(device).machine;
      if (machine != no_id) vertex_of_[device] = index_of[machine];
    }
    if (network_.direct()) join_built_in_routers();
  }

  void join_built_in_routers() {
    for (const PortId endpoint : network_.endpoints()) {
      const DeviceId router = network_.router_of(endpoint);
      if (router == no_id) continue;
      vertex_of_[router] = vertex_of_[network_.port(endpoint).device];
      found_.vertices[vertex_of_[router]].router = router;
    }
  }

  void add_cables() {
    const std::unordered_set<PortId> degraded(network_.degraded_links().begin(), network_.degraded_links().end());
    using Key = std::tuple<std::uint32_t, std::uint32_t, PlaneId, std::uint8_t, LaneSpeed, std::uint32_t>;
    std::map<Key, std::size_t> bundle_of;
    for (PortId id = 0; id < network_.port_count(); ++id) {
      const Port& port = network_.port(id);
      if (!port.connected() || port.peer < id) continue;
      std::uint32_t from = vertex_of_[port.device];
      std::uint32_t to = vertex_of_[network_.port(port.peer).device];
      if (from == no_id || to == no_id || is_built_in(port)) continue;
      const bool backwards = to < from;
      if (backwards) std::swap(from, to);
      const Key key{from, to, network_.device(port.device).plane, port.rate.width, port.rate.speed, port.rate.megabits};
      const auto [at, is_new] = bundle_of.try_emplace(key, found_.bundles.size());
      if (is_new) found_.bundles.push_back({from, to, {}, false});
      CableBundle& bundle = found_.bundles[at->second];
      bundle.ports.push_back(backwards ? port.peer : id);
      bundle.degraded |= degraded.contains(id);
    }
  }

  /// From a machine's NIC to its own router.
  [[nodiscard]] bool is_built_in(const Port& port) const {
    return network_.direct() && network_.is_router(port.device) != network_.is_router(network_.port(port.peer).device);
  }

  const Network& network_;
  std::vector<std::uint32_t> vertex_of_;  // by device
  bool tree_ = false;
  CableGraph found_;
};

}  // namespace

CableGraph cable_graph(const Network& network) { return Gathering(network).gather(); }

std::string vertex_id(const Vertex& vertex) {
  return vertex.is_machine() ? fmt::format("m{}", vertex.machine) : fmt::format("r{}", vertex.router);
}

}  // namespace ayatori::drawing
