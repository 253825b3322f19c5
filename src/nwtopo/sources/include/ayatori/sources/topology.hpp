#pragma once
/// \file
/// Opens a source as a Topology, which is what nwtopo.h shows: a formula if the source is regular, an image otherwise.

#include "ayatori/sources/source.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

struct TopologyOptions {
  SourceOptions source;
  /// Opens the physical network where it differs from the logical one (Tofu).
  bool physical_view = false;
};

/// Opens "torus:100x100x100" in constant memory and "cache:FILE" by mapping it; every other source through its
/// Network; a file without its kind as with_kind() says. Errors: those of open_source() and of the cache reader.
[[nodiscard]] Result<TopologyPtr> open_topology(std::string_view source, const TopologyOptions& options = {});

/// Opens a source that is a formula in constant time. Returns nullptr for all others, which it does not open. Errors:
/// those of the formula.
[[nodiscard]] Result<TopologyPtr> open_formula(std::string_view source, bool physical_view = false);

}  // namespace ayatori
