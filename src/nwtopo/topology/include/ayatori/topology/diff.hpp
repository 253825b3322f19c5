#pragma once
/// \file
/// What changed between two topologies.

#include <string>
#include <vector>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

struct Difference {
  enum class Type : std::uint8_t { added, removed, changed };
  Type type = Type::changed;
  bool is_link = false;  ///< a cable; otherwise an object
  std::string name;      ///< "LS1", or "LS1 port 8 - RS2 port 2"
  std::string detail;    ///< of a change: "4xHDR -> 4xNDR"; may be empty
};

/// Objects are matched by kind and name, cables by both of their ends' names and port numbers. Sorted: objects before
/// links, then by name in natural order.
[[nodiscard]] std::vector<Difference> difference(const Topology& before, const Topology& after);

}  // namespace ayatori
