#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "writing.hpp"

namespace ayatori::exports {

namespace {

constexpr std::size_t legible = 10;  // letters that need no shortening
constexpr std::string_view separators = ";:/ ";

/// Names without what all begin and end with, cut at a separator: "MF0;A09-LEAF-1:MQM/U1" becomes "A09-LEAF-1".
std::vector<std::string> short_names(std::vector<std::string> names) {
  const auto is_short = [](const std::string& name) { return name.size() <= legible; };
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
  Devices all = devices_of(network);
  Scene scene;
  std::vector<std::uint32_t> index_of(all.devices.size(), no_id);
  std::vector<std::uint32_t> by_router(network.router_count(), no_id);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.devices.size(); ++i) {
    const DeviceId router = all.devices[i].router;
    if (router == no_id) continue;
    index_of[i] = by_router[router] = static_cast<std::uint32_t>(scene.routers.size());
    scene.routers.push_back(all.devices[i]);
    names.push_back(clean_utf8(all.devices[i].name));
  }
  scene.labels = short_names(std::move(names));
  scene.hosts.resize(scene.routers.size());
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id && !network.direct()) scene.hosts[by_router[router]].push_back(endpoint);
  }
  for (CableBundle& bundle : all.bundles) {
    bundle.from = index_of[bundle.from];
    bundle.to = index_of[bundle.to];
    if (bundle.from != no_id && bundle.to != no_id && bundle.from != bundle.to) scene.bundles.push_back(bundle);
  }
  return scene;
}

std::string straight(double x1, double y1, double x2, double y2) {
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x1, y1, x2, y2);
}

std::string hosts_in_words(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "host" : "hosts"); }

}  // namespace ayatori::exports
