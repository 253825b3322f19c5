#include "link_back.hpp"

namespace ayatori {

namespace {

/// Whether two links, seen from their own ends, may be one cable: `there` leaves the object that `here` leads to.
bool may_be_one_cable(ObjectId from, const TopologyLink& here, const TopologyLink& there) {
  return there.to == from && there.from_port == here.to_port && there.to_port == here.from_port &&
         there.plane == here.plane;
}

bool look_alike(const TopologyLink& a, const TopologyLink& b) {
  return a.to == b.to && a.from_port == b.from_port && a.to_port == b.to_port && a.plane == b.plane;
}

}  // namespace

std::optional<std::uint32_t> link_back(const Topology& topology, ObjectId from, std::uint32_t index) {
  const TopologyLink here = topology.link(from, index);
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < index; ++i) before += look_alike(topology.link(from, i), here) ? 1 : 0;
  const std::uint32_t count = topology.link_count(here.to);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (may_be_one_cable(from, here, topology.link(here.to, i)) && before-- == 0) return i;
  }
  return std::nullopt;
}

}  // namespace ayatori
