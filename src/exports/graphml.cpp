#include <array>

#include "devices.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

namespace {

struct Key {
  std::string_view on, name, type;
};
constexpr std::array keys = {
    Key{"node", "kind", "string"},
    Key{"node", "name", "string"},
    Key{"node", "plane", "string"},
    Key{"node", "level", "int"},
    Key{"edge", "plane", "string"},
    Key{"edge", "rate", "string"},
    Key{"edge", "bytes_per_second", "double"},
    Key{"edge", "latency", "long"},
    Key{"edge", "from_port", "int"},
    Key{"edge", "to_port", "int"},
    Key{"edge", "degraded", "boolean"},
};

void write_keys(Out& out) {
  for (const Key& key : keys) {
    out("  <key id=\"{0}_{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\"/>\n", key.on, key.name, key.type);
  }
}

void write_device(Out& out, const Network& network, const Vertex& device) {
  out("    <node id=\"{}\"><data key=\"node_kind\">{}</data><data key=\"node_name\">{}</data>", device_id(device),
      device.is_machine() ? "machine" : "router", xml_text(device.name));
  if (device.router != no_id) {
    out("<data key=\"node_plane\">{}</data>", xml_text(network.planes()[network.device(device.router).plane].name));
  }
  if (device.level >= 0) out("<data key=\"node_level\">{}</data>", device.level);
  out("</node>\n");
}

void write_cable(Out& out, const Network& network, const Devices& all, const CableBundle& bundle, PortId id) {
  const Port& port = network.port(id);
  out("    <edge source=\"{}\" target=\"{}\"><data key=\"edge_plane\">{}</data>", device_id(all.devices[bundle.from]),
      device_id(all.devices[bundle.to]), xml_text(network.planes()[network.device(port.device).plane].name));
  if (port.rate.known()) {
    out("<data key=\"edge_rate\">{}</data><data key=\"edge_bytes_per_second\">{}</data>", to_string(port.rate),
        port.rate.bytes_per_second());
  }
  if (port.latency != 0) out("<data key=\"edge_latency\">{}</data>", port.latency);
  out("<data key=\"edge_from_port\">{}</data><data key=\"edge_to_port\">{}</data><data key=\"edge_degraded\">{}</data>"
      "</edge>\n",
      port.number, network.port(port.peer).number, bundle.degraded);
}

}  // namespace

Result<> write_graphml(const Network& network, const Sink& sink) {
  const Devices all = devices_of(network);
  Out out(sink);
  out("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  write_keys(out);
  out("  <graph id=\"network\" edgedefault=\"undirected\">\n");
  for (const Vertex& device : all.devices) write_device(out, network, device);
  for (const CableBundle& bundle : all.bundles) {
    for (const PortId id : bundle.ports) write_cable(out, network, all, bundle, id);
  }
  out("  </graph>\n</graphml>\n");
  return {};
}

}  // namespace ayatori::exports
