#include <array>

#include "ayatori/drawing/cable_graph.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

using drawing::cable_graph;
using drawing::CableBundle;
using drawing::CableGraph;
using drawing::Vertex;
using drawing::vertex_id;

namespace {

struct Key {
  std::string_view on, name, type;
};
constexpr std::array keys = {
    Key{"node", "kind", "string"},      Key{"node", "name", "string"},      Key{"node", "plane", "string"},
    Key{"node", "level", "int"},        Key{"edge", "plane", "string"},     Key{"edge", "rate", "string"},
    Key{"edge", "bandwidth", "double"}, Key{"edge", "latency", "long"},     Key{"edge", "from_port", "int"},
    Key{"edge", "to_port", "int"},      Key{"edge", "degraded", "boolean"},
};

void write_keys(Out& out) {
  for (const Key& key : keys) {
    out("  <key id=\"{0}_{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\"/>\n", key.on, key.name, key.type);
  }
}

void write_vertex(Out& out, const Network& network, const Vertex& vertex) {
  out("    <node id=\"{}\"><data key=\"node_kind\">{}</data><data key=\"node_name\">{}</data>", vertex_id(vertex),
      vertex.is_machine() ? "machine" : "router", xml_text(vertex.name));
  if (vertex.router != no_id) {
    out("<data key=\"node_plane\">{}</data>", xml_text(network.planes()[network.device(vertex.router).plane].name));
  }
  if (vertex.level >= 0) out("<data key=\"node_level\">{}</data>", vertex.level);
  out("</node>\n");
}

void write_cable(Out& out, const Network& network, const CableGraph& graph, const CableBundle& bundle, PortId id) {
  const Port& port = network.port(id);
  out("    <edge source=\"{}\" target=\"{}\"><data key=\"edge_plane\">{}</data>",
      vertex_id(graph.vertices[bundle.from]), vertex_id(graph.vertices[bundle.to]),
      xml_text(network.planes()[network.device(port.device).plane].name));
  if (port.rate.known()) {
    out("<data key=\"edge_rate\">{}</data><data key=\"edge_bandwidth\">{}</data>", to_string(port.rate),
        port.rate.bytes_per_second());
  }
  if (port.latency != 0) out("<data key=\"edge_latency\">{}</data>", port.latency);
  out("<data key=\"edge_from_port\">{}</data><data key=\"edge_to_port\">{}</data><data key=\"edge_degraded\">{}</data>"
      "</edge>\n",
      port.number, network.port(port.peer).number, bundle.degraded);
}

}  // namespace

Result<> write_graphml(const Network& network, const Sink& sink) {
  const CableGraph graph = cable_graph(network);
  Out out(sink);
  out("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  write_keys(out);
  out("  <graph id=\"network\" edgedefault=\"undirected\">\n");
  for (const Vertex& vertex : graph.vertices) write_vertex(out, network, vertex);
  for (const CableBundle& bundle : graph.bundles) {
    for (const PortId id : bundle.ports) write_cable(out, network, graph, bundle, id);
  }
  out("  </graph>\n</graphml>\n");
  return {};
}

}  // namespace ayatori::exports
