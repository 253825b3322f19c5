#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "layout.hpp"

namespace ayatori::drawing {

namespace {

constexpr std::size_t short_enough = 10;  // letters
constexpr std::string_view separators = ";:/ ";

/// Names without their common beginning and end, cut at a separator: "MF0;A09-LEAF-1:MQM/U1" becomes "A09-LEAF-1".
std::vector<std::string> short_names(std::vector<std::string> names) {
  const auto is_short = [](const std::string& name) { return name.size() <= short_enough; };
  if (names.size() < 2 || std::ranges::all_of(names, is_short)) return names;
  std::size_t head = names.front().size();
  std::size_t tail = names.front().size();
  for (const std::string& name : names) {
    const auto from_start = std::ranges::mismatch(name, names.front()).in1 - name.begin();
    const auto from_end = std::mismatch(name.rbegin(), name.rend(), names.front().rbegin(), names.front().rend()).first;
    head = std::min(head, static_cast<std::size_t>(from_start));
    tail = std::min(tail, static_cast<std::size_t>(from_end - name.rbegin()));
  }
  const std::string first = names.front();
  const std::size_t cut = std::string_view(first).substr(0, head).find_last_of(separators) + 1;  // 0 if there is none
  const std::size_t end = std::string_view(first).substr(first.size() - tail).find_first_of(separators);
  const std::size_t left_out = end == std::string_view::npos ? 0 : tail - end;
  for (std::string& name : names) {
    if (name.size() > cut + left_out) name = name.substr(cut, name.size() - cut - left_out);
  }
  return names;
}

}  // namespace

Scene scene_of(const Network& network) {
  CableGraph graph = cable_graph(network);
  Scene scene;
  scene.names.resize(network.router_count());
  std::vector<DeviceId> router_of(graph.vertices.size(), no_id);
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    const DeviceId router = graph.vertices[i].router;
    router_of[i] = router;
    if (router != no_id) scene.names[router] = std::move(graph.vertices[i].name);
  }
  scene.labels = short_names(scene.names);
  scene.endpoints.resize(scene.size());
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id && !network.direct()) scene.endpoints[router].push_back(endpoint);
  }
  for (CableBundle& bundle : graph.bundles) {
    bundle.from = router_of[bundle.from];
    bundle.to = router_of[bundle.to];
    if (bundle.from != no_id && bundle.to != no_id && bundle.from != bundle.to) scene.bundles.push_back(bundle);
  }
  return scene;
}

DrawnBundle straight(const CableBundle& bundle, Point from, Point to) {
  return {DrawnBundle::Form::line, false, bundle.degraded, {from, to}, bundle.ports};
}

std::vector<PortId> far_ports(const Network& network, const CableBundle& bundle) {
  std::vector<PortId> ports = bundle.ports;
  for (PortId& port : ports) port = network.port(port).peer;
  return ports;
}

Partition::Partition(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

std::uint32_t Partition::root(std::uint32_t i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

double width_of(std::string_view text) {
  constexpr double letter = 6.2;
  const auto begins_letter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return letter * static_cast<double>(std::ranges::count_if(text, begins_letter));
}

std::string hosts_in_words(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "host" : "hosts"); }

}  // namespace ayatori::drawing
