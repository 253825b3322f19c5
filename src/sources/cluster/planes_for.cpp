#include <algorithm>

#include "cluster_file.hpp"

namespace ayatori::cluster {

bool Plane::carries(Purpose purpose) const {
  if (purpose == Purpose::everything) return true;
  if (purpose == Purpose::sockets) return !fibre_channel;
  return std::ranges::find(purposes, purpose) != purposes.end();
}

namespace {

constexpr std::uint32_t left_out = ~std::uint32_t{0};

/// By old index: the new one, or left_out.
std::vector<std::uint32_t> renumbered(const std::vector<bool>& kept) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t next = 0;
  for (const bool keep : kept) numbers.push_back(keep ? next++ : left_out);
  return numbers;
}

}  // namespace

Cluster planes_for(const Cluster& cluster, Purpose purpose) {
  std::vector<bool> keeps_plane;
  std::vector<bool> keeps_switch;
  std::vector<bool> keeps_host(cluster.hosts.size());
  for (const Plane& plane : cluster.planes) keeps_plane.push_back(plane.carries(purpose));
  for (const Switch& one : cluster.switches) keeps_switch.push_back(keeps_plane[one.plane]);
  for (const Link& link : cluster.links) {
    if (link.from_host && keeps_switch[link.to]) keeps_host[link.from] = true;
  }
  const auto plane_number = renumbered(keeps_plane);
  const auto switch_number = renumbered(keeps_switch);
  const auto host_number = renumbered(keeps_host);
  Cluster found;
  for (std::size_t i = 0; i < cluster.planes.size(); ++i) {
    if (keeps_plane[i]) found.planes.push_back(cluster.planes[i]);
  }
  for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
    const Switch& one = cluster.switches[i];
    if (keeps_switch[i]) found.switches.push_back({one.name, plane_number[one.plane]});
  }
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
    if (keeps_host[i]) found.hosts.push_back(cluster.hosts[i]);
  }
  for (Link link : cluster.links) {
    if (!keeps_switch[link.to]) continue;
    link.from = link.from_host ? host_number[link.from] : switch_number[link.from];
    link.to = switch_number[link.to];
    found.links.push_back(std::move(link));
  }
  for (const Other& other : cluster.others) {
    if (keeps_host[other.host]) found.others.push_back({host_number[other.host], other.name, other.addresses});
  }
  for (const Background& flow : cluster.background) {
    if (!keeps_plane[flow.plane]) continue;
    found.background.push_back({host_number[flow.from], host_number[flow.to], plane_number[flow.plane], flow.rate});
  }
  return found;
}

}  // namespace ayatori::cluster
