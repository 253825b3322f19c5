#include <algorithm>
#include <array>
#include <map>

#include "ayatori/drawing/cable_graph.hpp"
#include "ayatori/network/shape.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

using drawing::cable_graph;
using drawing::CableBundle;
using drawing::CableGraph;
using drawing::Vertex;
using drawing::vertex_id;

namespace {

constexpr std::size_t max_ellipses = 64;  // machines that still have room for their names
constexpr std::array dot_colours = {"#5a6274", "#3d8fd9", "#8d4a9e", "#00553f", "#b23a0a"};

void write_vertex(Out& out, const Vertex& vertex, bool as_point) {
  const std::string name = dot_text(vertex.name);
  if (!vertex.is_machine()) {
    out("  {} [label={}, shape=box, style=filled, fillcolor=\"#333c4f\", fontcolor=white];\n", vertex_id(vertex), name);
  } else if (as_point) {
    out("  {} [label={}, xlabel=\"\", shape=point, width=0.08, tooltip={}];\n", vertex_id(vertex), name, name);
  } else {
    out("  {} [label={}, shape=ellipse];\n", vertex_id(vertex), name);
  }
}

/// Leaves in one row, spines in another.
void write_ranks(Out& out, const std::vector<Vertex>& vertices) {
  std::map<int, std::string> rows;
  for (const Vertex& vertex : vertices) {
    if (vertex.level > 0) rows[vertex.level] += vertex_id(vertex) + "; ";
  }
  for (const auto& [level, row] : rows) out("  {{ rank=same; {}}}\n", row);
}

std::string label_of(const Network& network, const CableBundle& bundle) {
  const std::string rate = to_string(network.port(bundle.ports.front()).rate);
  return bundle.ports.size() == 1 ? rate : fmt::format("{} x {}", bundle.ports.size(), rate);
}

/// Roots come first in the file and so above, as ranks grow downwards.
void write_bundle(Out& out, const Network& network, const CableGraph& graph, const CableBundle& bundle) {
  const Vertex* upper = &graph.vertices[bundle.from];
  const Vertex* lower = &graph.vertices[bundle.to];
  if (upper->level < lower->level) std::swap(upper, lower);
  const PlaneId plane = network.device(network.port(bundle.ports.front()).device).plane;
  out("  {} -- {} [label={}, color=\"{}\", penwidth={}{}];\n", vertex_id(*upper), vertex_id(*lower),
      dot_text(label_of(network, bundle)), bundle.degraded ? "#cf4a12" : dot_colours[plane % dot_colours.size()],
      std::min<std::size_t>(bundle.ports.size(), 8), bundle.degraded ? ", style=dashed" : "");
}

}  // namespace

Result<> write_dot(const Network& network, const Sink& sink) {
  const CableGraph graph = cable_graph(network);
  const bool as_points = network.machines().size() > max_ellipses;
  Out out(sink);
  out("graph network {{\n  graph [label={}, labelloc=t, fontname=\"sans-serif\", ranksep=1.2];\n",
      dot_text(recognise(network).summary));
  out("  node [fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=8];\n");
  for (const Vertex& vertex : graph.vertices) write_vertex(out, vertex, as_points);
  write_ranks(out, graph.vertices);
  for (const CableBundle& bundle : graph.bundles) write_bundle(out, network, graph, bundle);
  out("}}\n");
  return {};
}

}  // namespace ayatori::exports
