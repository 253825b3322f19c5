#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

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

constexpr std::string_view simgrid_host_speed = "1Gf";  // what a host computes: nothing here says
constexpr std::uint32_t unknown_latency = 1000;         // nanoseconds
constexpr std::size_t max_for_floyd = 300;              // its table has a row and a column for each of them
constexpr int detour = 16;                              // counts as so many more links: longer than any sensible route

/// Names as SimGrid needs them: no two alike.
std::vector<std::string> unique_names(const std::vector<Vertex>& vertices) {
  std::unordered_set<std::string> taken;
  std::vector<std::string> names(vertices.size());
  const auto name_all = [&](bool machines) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (vertices[i].is_machine() != machines) continue;
      names[i] = clean_utf8(vertices[i].name);
      while (names[i].empty() || !taken.insert(names[i]).second) names[i] += fmt::format(".{}", vertex_id(vertices[i]));
    }
  };
  name_all(true);  // hosts are what programs name, so they keep theirs
  name_all(false);
  return names;
}

using Ends = std::pair<std::uint32_t, std::uint32_t>;  // indices of vertices

/// The cables between two vertices, as SimGrid gets them.
struct Link {
  double bytes_per_second = 0;
  std::uint32_t latency = 0;
};

/// SimGrid takes one route between two vertices, so that parallel cables have to be one link. What one message gets is
/// then bounded by its host's own cable.
std::map<Ends, Link> links_of(const Network& network, const CableGraph& graph) {
  std::map<Ends, Link> links;
  for (const CableBundle& bundle : graph.bundles) {
    if (bundle.from == bundle.to) continue;
    Link& link = links[{bundle.from, bundle.to}];
    for (const PortId id : bundle.ports) {
      const Port& port = network.port(id);
      link.bytes_per_second += port.rate.bytes_per_second();
      link.latency = std::max(link.latency, port.latency);
    }
  }
  return links;
}

class Platform {
 public:
  Platform(const Network& network, Out& out)
      : network_(network),
        graph_(cable_graph(network)),
        names_(unique_names(graph_.vertices)),
        links_(links_of(network, graph_)),
        out_(out) {}

  void write() {
    out_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out_("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n");
    out_("  <zone id=\"network\" routing=\"{}\">\n", graph_.vertices.size() <= max_for_floyd ? "Floyd" : "Dijkstra");
    for (std::size_t i = 0; i < graph_.vertices.size(); ++i) write_vertex(i);
    out_("    <link id=\"detour\" bandwidth=\"1e18Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n");
    for (const auto& [ends, link] : links_) write_link(ends, link);
    for (const auto& [ends, link] : links_) write_route(ends);
    out_("  </zone>\n</platform>\n");
  }

 private:
  void write_vertex(std::size_t i) {
    if (graph_.vertices[i].is_machine()) {
      out_("    <host id=\"{}\" speed=\"{}\"/>\n", xml_text(names_[i]), simgrid_host_speed);
    } else {
      out_("    <router id=\"{}\"/>\n", xml_text(names_[i]));
    }
  }

  [[nodiscard]] std::string link_id(Ends ends) const {
    return vertex_id(graph_.vertices[ends.first]) + "-" + vertex_id(graph_.vertices[ends.second]);
  }

  void write_link(Ends ends, const Link& link) {
    out_("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}ns\" sharing_policy=\"SPLITDUPLEX\"/>\n", link_id(ends),
         link.bytes_per_second, link.latency != 0 ? link.latency : unknown_latency);
  }

  void write_route(Ends ends) {
    out_("    <route src=\"{}\" dst=\"{}\"><link_ctn id=\"{}\" direction=\"UP\"/>", xml_text(names_[ends.first]),
         xml_text(names_[ends.second]), link_id(ends));
    if (could_be_passed(graph_.vertices[ends.first]) || could_be_passed(graph_.vertices[ends.second])) {
      for (int i = 0; i < detour; ++i) out_("<link_ctn id=\"detour\"/>");
    }
    out_("</route>\n");
  }

  /// Machines do not forward, unless their router is built in.
  [[nodiscard]] bool could_be_passed(const Vertex& vertex) const {
    return vertex.is_machine() && vertex.router == no_id && network_.machine(vertex.machine).endpoints.size() > 1;
  }

  const Network& network_;
  CableGraph graph_;
  std::vector<std::string> names_;
  std::map<Ends, Link> links_;
  Out& out_;
};

}  // namespace

Result<> write_simgrid(const Network& network, const Sink& sink) {
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.rate.known()) continue;
    return with_hint(fail("simgrid: the rate of {} is not known", network.describe_link(id)),
                     "SimGrid needs the bandwidth of every link");
  }
  Out out(sink);
  Platform(network, out).write();
  return {};
}

}  // namespace ayatori::exports
