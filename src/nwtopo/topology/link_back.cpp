#include "link_back.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ayatori {

namespace {

auto seen_from_here(const LinkEnds& link) {
  return std::tuple(link.from, link.to, link.from_nic, link.to_nic, link.from_port, link.to_port, link.plane);
}

auto seen_from_there(const LinkEnds& link) {
  return std::tuple(link.to, link.from, link.to_nic, link.from_nic, link.to_port, link.from_port, link.plane);
}

void append_links(const Topology& topology, ObjectId id, std::vector<LinkEnds>& links) {
  const std::uint32_t count = topology.link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) links.emplace_back(id, topology.link(id, i));
}

}  // namespace

/// Sorted by the end that they leave, and by the one where they arrive, partners stand at the same place.
std::vector<std::size_t> pair_up(std::span<const LinkEnds> links) {
  std::vector<std::size_t> leaving(links.size());
  std::iota(leaving.begin(), leaving.end(), 0);
  std::vector<std::size_t> arriving = leaving;
  std::ranges::stable_sort(leaving, {}, [&](std::size_t i) { return seen_from_here(links[i]); });
  std::ranges::stable_sort(arriving, {}, [&](std::size_t i) { return seen_from_there(links[i]); });
  std::vector<std::size_t> partner(links.size(), no_partner);
  auto there = arriving.begin();
  for (const std::size_t here : leaving) {
    const auto key = seen_from_here(links[here]);
    while (there != arriving.end() && seen_from_there(links[*there]) < key) ++there;
    if (there == arriving.end()) break;
    if (seen_from_there(links[*there]) == key) partner[here] = *there++;
  }
  return partner;
}

std::optional<std::uint32_t> link_back(const Topology& topology, ObjectId from, std::uint32_t index) {
  const ObjectId to = topology.link(from, index).to;
  std::vector<LinkEnds> links;
  append_links(topology, from, links);
  const std::size_t first_there = to == from ? 0 : links.size();
  if (to != from) append_links(topology, to, links);
  const std::size_t partner = pair_up(links)[index];
  if (partner == no_partner) return std::nullopt;
  return static_cast<std::uint32_t>(partner - first_there);
}

}  // namespace ayatori
