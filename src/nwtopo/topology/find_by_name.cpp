#include "ayatori/topology/host_names.hpp"
#include "ayatori/topology/queries.hpp"

namespace ayatori {

namespace {

std::string_view without_domain(std::string_view name) { return name.substr(0, name.find('.')); }

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

std::optional<ObjectId> find_by_own_name(const Topology& topology, std::string_view name) {
  if (const auto found = topology.find(name)) return found;
  const std::string_view host = without_domain(name);
  if (host.size() == name.size()) return find_with_domain(topology, name);
  const auto found = topology.find(host);
  return found && topology.kind(*found) == ObjectKind::machine ? found : std::nullopt;
}

}  // namespace

std::optional<ObjectId> find_by_name(const Topology& topology, std::string_view name, const HostNames* other_names) {
  if (name.empty()) return std::nullopt;
  if (const auto found = find_by_own_name(topology, name); found || other_names == nullptr) return found;
  const auto found = other_names->find(name);
  return found && topology.contains(*found) ? found : std::nullopt;
}

}  // namespace ayatori
