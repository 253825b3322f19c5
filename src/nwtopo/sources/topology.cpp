#include "ayatori/sources/topology.hpp"

#include <algorithm>

#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/image.hpp"

namespace ayatori {

Result<TopologyPtr> open_formula(std::string_view source, bool physical_view) {
  const std::size_t colon = source.find(':');
  const auto kind = std::ranges::find(source_kinds(), source.substr(0, colon), &SourceKind::kind);
  if (colon == std::string_view::npos || kind == source_kinds().end() || kind->formula == nullptr) return nullptr;
  auto formula = kind->formula(source.substr(colon + 1), physical_view);
  if (!formula) return Failure(formula.error());
  return *formula ? make_grid_topology(std::move(**formula)) : nullptr;
}

Result<TopologyPtr> open_topology(std::string_view named, const TopologyOptions& options) {
  const auto whole = with_kind(named);
  if (!whole) return Failure(whole.error());
  const std::string_view source = *whole;
  if (source.starts_with("cache:")) return open_cache(source.substr(6));
  auto formula = open_formula(source, options.physical_view);
  if (!formula || *formula != nullptr) return formula;
  const auto network = open_source(source, options.source);
  if (!network) return Failure(network.error());
  return make_image_topology(*network);
}

}  // namespace ayatori
