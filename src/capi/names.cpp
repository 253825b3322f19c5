#include "names.hpp"

#include <cerrno>

#include "ayatori/base/text.hpp"
#include "surroundings.hpp"

namespace ayatori::capi {

namespace {

std::string_view without_domain(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_machine(const Topology& topology, ObjectId id) {
  return topology.contains(id) && topology.kind(id) == ObjectKind::machine;
}

/// "n1" for the machine "n1.cluster.org": looked for one by one, but only where machines have domains.
std::optional<ObjectId> find_with_domain(const Topology& topology, std::string_view name) {
  const std::uint64_t count = topology.machine_count();
  if (count == 0 || !topology.name(topology.machine(0)).contains('.')) return std::nullopt;
  for (std::uint64_t i = 0; i < count; ++i) {
    const ObjectId id = topology.machine(i);
    if (without_domain(topology.name(id)) == name) return id;
  }
  return std::nullopt;
}

std::optional<ObjectId> find_machine(const Topology& topology, std::string_view name) {
  if (const auto found = find_by_name(topology, name); found && is_machine(topology, *found)) return found;
  if (const auto id = parse_unsigned<ObjectId>(name); id && is_machine(topology, *id)) return id;
  return std::nullopt;
}

Result<ObjectId> named_machine(const Topology& topology, std::string_view name, std::string_view who) {
  if (const auto found = find_machine(topology, name)) return *found;
  return with_code(fail("this machine, '{}' by {}, is not in the topology", name, who), ENOENT);
}

}  // namespace

std::optional<ObjectId> find_by_name(const Topology& topology, std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (const auto found = topology.find(name)) return found;
  const std::string_view host = without_domain(name);
  if (host.size() == name.size()) return find_with_domain(topology, name);
  const auto found = topology.find(host);
  return found && is_machine(topology, *found) ? found : std::nullopt;
}

Result<ObjectId> this_machine(const Topology& topology, const std::optional<std::string>& set) {
  if (set) return named_machine(topology, *set, "nwtopo_topology_set_this_machine()");
  if (const auto named = variable("NWTOPO_THIS_MACHINE")) {
    return named_machine(topology, *named, "NWTOPO_THIS_MACHINE");
  }
  return named_machine(topology, this_host(), "its host name");
}

}  // namespace ayatori::capi
