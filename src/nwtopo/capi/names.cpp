#include "names.hpp"

#include <cerrno>

#include "ayatori/base/text.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/queries.hpp"
#include "surroundings.hpp"

namespace ayatori::capi {

namespace {

bool is_machine(const Topology& topology, ObjectId id) {
  return topology.contains(id) && topology.kind(id) == ObjectKind::machine;
}

std::optional<ObjectId> find_machine(const Topology& topology, std::string_view name, const HostNames* aliases) {
  if (const auto found = find_by_name(topology, name, aliases); found && is_machine(topology, *found)) return found;
  if (const auto id = parse_unsigned<ObjectId>(name); id && is_machine(topology, *id)) return id;
  return std::nullopt;
}

}  // namespace

Result<ObjectId> this_machine(const Topology& topology, const std::optional<std::string>& set,
                              const HostNames* aliases) {
  const auto named = [&](std::string_view name, std::string_view who) -> Result<ObjectId> {
    if (const auto found = find_machine(topology, name, aliases)) return *found;
    return with_code(fail("this machine, '{}' by {}, is not in the topology", name, who), ENOENT);
  };
  if (set) return named(*set, "nwtopo_topology_set_this_machine()");
  if (const auto variable_said = variable("NWTOPO_THIS_MACHINE")) return named(*variable_said, "NWTOPO_THIS_MACHINE");
  auto by_host = named(this_host(), "its host name");
  const GridFormula* const grid = by_host ? nullptr : formula_of(topology);
  if (grid == nullptr) return by_host;
  const auto point = point_in_job(grid->dimensions);  // machine ids are points
  if (!point) return Failure(point.error());
  return *point ? Result<ObjectId>(**point) : by_host;
}

}  // namespace ayatori::capi
