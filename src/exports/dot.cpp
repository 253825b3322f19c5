#include <algorithm>
#include <array>
#include <map>

#include "ayatori/network/shape.hpp"
#include "devices.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

namespace {

constexpr std::size_t max_ellipses = 64;  // machines that still have room for their names
constexpr std::array plane_colours = {"#5a6274", "#3d8fd9", "#8d4a9e", "#00553f", "#b23a0a"};

void write_device(Out& out, const Vertex& device, bool as_point) {
  const std::string name = dot_text(device.name);
  if (!device.is_machine()) {
    out("  {} [label={}, shape=box, style=filled, fillcolor=\"#333c4f\", fontcolor=white];\n", device_id(device), name);
  } else if (as_point) {
    out("  {} [label={}, xlabel=\"\", shape=point, width=0.08, tooltip={}];\n", device_id(device), name, name);
  } else {
    out("  {} [label={}, shape=ellipse];\n", device_id(device), name);
  }
}

/// Leaves in one row, spines in another.
void write_ranks(Out& out, const std::vector<Vertex>& devices) {
  std::map<int, std::string> rows;
  for (const Vertex& device : devices) {
    if (device.level > 0) rows[device.level] += device_id(device) + "; ";
  }
  for (const auto& [level, row] : rows) out("  {{ rank=same; {}}}\n", row);
}

std::string label_of(const Network& network, const CableBundle& bundle) {
  const std::string rate = to_string(network.port(bundle.ports.front()).rate);
  return bundle.ports.size() == 1 ? rate : fmt::format("{} x {}", bundle.ports.size(), rate);
}

/// Roots come first in the file and so above, as ranks grow downwards.
void write_bundle(Out& out, const Network& network, const Devices& all, const CableBundle& bundle) {
  const Vertex* upper = &all.devices[bundle.from];
  const Vertex* lower = &all.devices[bundle.to];
  if (upper->level < lower->level) std::swap(upper, lower);
  const PlaneId plane = network.device(network.port(bundle.ports.front()).device).plane;
  out("  {} -- {} [label={}, color=\"{}\", penwidth={}{}];\n", device_id(*upper), device_id(*lower),
      dot_text(label_of(network, bundle)), bundle.degraded ? "#cf4a12" : plane_colours[plane % plane_colours.size()],
      std::min<std::size_t>(bundle.ports.size(), 8), bundle.degraded ? ", style=dashed" : "");
}

}  // namespace

Result<> write_dot(const Network& network, const Sink& sink) {
  const Devices all = devices_of(network);
  const bool as_points = network.machines().size() > max_ellipses;
  Out out(sink);
  out("graph network {{\n  graph [label={}, labelloc=t, fontname=\"sans-serif\", ranksep=1.2];\n",
      dot_text(recognise(network).summary));
  out("  node [fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=8];\n");
  for (const Vertex& device : all.devices) write_device(out, device, as_points);
  write_ranks(out, all.devices);
  for (const CableBundle& bundle : all.bundles) write_bundle(out, network, all, bundle);
  out("}}\n");
  return {};
}

}  // namespace ayatori::exports
