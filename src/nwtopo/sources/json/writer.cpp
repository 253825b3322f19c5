#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "ayatori/json/json.hpp"

namespace ayatori {

namespace {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view kind_word(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::router:
      return "router";
    case DeviceKind::nic:
      return "nic";
    case DeviceKind::aggregation:
      return "aggregation";
  }
  return "";
}

class Writer {
 public:
  Writer(const Network& network, const Sink& sink) : network_(network), sink_(sink) {}

  void write() {
    put("{{\n\"format\": \"nwtopo-json\",\n\"version\": 1,\n\"direct\": {},\n\"planes\": [", network_.direct());
    for (std::size_t i = 0; i < network_.planes().size(); ++i) {
      put("{}", i == 0 ? "" : ", ");
      write_plane(network_.planes()[i]);
    }
    put("],\n");
    write_grid();
    put("\"nodes\": [");
    for (DeviceId id = 0; id < network_.device_count(); ++id) {
      put("{}\n", id == 0 ? "" : ",");
      write_node(id);
    }
    put("\n],\n\"cables\": [");
    for (PortId id = 0; id < network_.port_count(); ++id) {
      if (network_.port(id).connected() && id < network_.port(id).peer) write_cable(id);
    }
    put("\n]");
    write_background();
    put("\n}}\n");
    flush();
  }

 private:
  /// A name says it all if the plane carries everything.
  void write_plane(const Plane& plane) {
    const std::string name = json_text(plane.name);
    if (plane.use == PlaneUse()) return put("{}", name);
    if (plane.use.fibre_channel()) return put("{{\"name\": {}, \"fibre_channel\": true}}", name);
    put("{{\"name\": {}, \"for\": [", name);
    std::string_view comma;
    for (const auto& [word, purpose] : named_purposes) {
      if (plane.use.carries(purpose)) put("{}\"{}\"", std::exchange(comma, ", "), word);
    }
    put("]}}");
  }

  void write_grid() {
    const auto& grid = network_.declared_grid();
    if (!grid) return;
    put("\"grid\": {{\"dimensions\": [{}], \"periodic\": [{}]}},\n", fmt::join(grid->dimensions, ", "),
        fmt::join(grid->periodic, ", "));
  }

  void write_node(DeviceId id) {
    const Device& node = network_.device(id);
    put("{{\"kind\": \"{}\", \"name\": {}, \"ports\": {}", kind_word(node.kind), json_text(network_.name(id)),
        node.port_count);
    if (node.plane != 0) put(", \"plane\": {}", node.plane);
    if (node.kind == DeviceKind::nic) write_owner(node);
    if (node.guid != 0) put(", \"guid\": \"{:#018x}\"", node.guid);
    if (node.system_guid != 0) put(", \"system_guid\": \"{:#018x}\"", node.system_guid);
    if (node.vendor_id != 0) put(", \"vendor_id\": {}", node.vendor_id);
    if (node.model_id != 0) put(", \"model_id\": {}", node.model_id);
    write_details(id);
    put("}}");
    flush();
  }

  /// The machine of a NIC is left out if nobody named it: the reader then names it after the GUID, too.
  void write_owner(const Device& node) {
    const Machine& machine = network_.machine(node.machine);
    if (machine.named || node.rail != 0 || machine.name != fmt::format("hca-{:#018x}", node.guid)) {
      put(", \"machine\": {}, \"rail\": {}", json_text(machine.name), node.rail);
    }
  }

  void write_details(DeviceId id) {
    const Device& node = network_.device(id);
    std::string_view before = ", \"details\": [";
    for (const Port& port : network_.ports(id)) {
      // The builder gives a router's port 0 the router's GUID.
      const bool implied = node.kind == DeviceKind::router && port.number == 0 && port.guid == node.guid;
      const bool has_guid = port.guid != 0 && !implied;
      if (!has_guid && port.lid == 0 && port.lmc == 0 && !port.max_rate.known()) continue;
      put("{}{{\"port\": {}", std::exchange(before, ", "), port.number);
      if (has_guid) put(", \"guid\": \"{:#018x}\"", port.guid);
      if (port.lid != 0) put(", \"lid\": {}", port.lid);
      if (port.lmc != 0) put(", \"lmc\": {}", port.lmc);
      if (port.max_rate.known()) put(", \"max_rate\": \"{}\"", to_string(port.max_rate));
      put("}}");
    }
    if (before == ", ") put("]");
  }

  void write_cable(PortId id) {
    const Port& from = network_.port(id);
    const Port& to = network_.port(from.peer);
    put("{}\n{{\"from\": [{}, {}], \"to\": [{}, {}]", std::exchange(comma_, ","), from.device, from.number, to.device,
        to.number);
    if (from.rate.known()) put(", \"rate\": \"{}\"", to_string(from.rate));
    if (from.latency != 0) put(", \"latency\": {}", from.latency);
    put("}}");
    flush();
  }

  void write_background() {
    if (network_.background().empty()) return;
    std::string_view comma;
    put(",\n\"background\": [");
    for (const BackgroundFlow& flow : network_.background()) {
      const Port& from = network_.port(flow.from);
      const Port& to = network_.port(flow.to);
      put("{}\n{{\"from\": [{}, {}], \"to\": [{}, {}], \"rate\": \"{}\"}}", std::exchange(comma, ","), from.device,
          from.number, to.device, to.number, to_string(flow.rate));
    }
    put("\n]");
  }

  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    piece_ += fmt::format(format, std::forward<Args>(args)...);
  }

  void flush() {
    sink_(piece_);
    piece_.clear();
  }

  const Network& network_;
  const Sink& sink_;
  std::string_view comma_;
  std::string piece_;
};

}  // namespace

Result<> write_json(const Network& network, const Sink& sink) {
  Writer(network, sink).write();
  return {};
}

}  // namespace ayatori
