#include "ayatori/topology/topology.hpp"

namespace ayatori {

std::uint64_t GridShape::points() const {
  std::uint64_t count = 1;
  for (const std::uint32_t length : dimensions) count *= length;
  return count;
}

const Topology& transit_of(const Topology& topology) {
  const TopologyPtr transit = topology.transit();  // the topology holds on to it
  return transit ? *transit : topology;
}

std::string_view to_word(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::machine:
      return "machine";
    case ObjectKind::router:
      return "router";
    case ObjectKind::grid:
      return "grid";
    case ObjectKind::full:
      return "full";
    case ObjectKind::graph:
      return "graph";
  }
  return "";
}

}  // namespace ayatori
