#include "ayatori/sources/topology.hpp"

#include <algorithm>

#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/image.hpp"

namespace ayatori {

Result<TopologyPtr> open_topology(std::string_view source, const TopologyOptions& options) {
  if (source.starts_with("cache:")) return open_cache(source.substr(6));
  const std::string_view name = source.substr(0, source.find(':'));
  const auto kind = std::ranges::find(source_kinds(), name, &SourceKind::kind);
  if (kind != source_kinds().end() && kind->formula != nullptr && source.size() > name.size()) {
    auto formula = kind->formula(source.substr(name.size() + 1), options.physical_view);
    if (!formula) return Failure(formula.error());
    if (*formula) return make_grid_topology(std::move(**formula));
  }
  const auto network = open_source(source, options.source);
  if (!network) return Failure(network.error());
  return make_image_topology(*network);
}

}  // namespace ayatori
