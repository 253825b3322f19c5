// From a prepared handle to a loaded one, by a source or as a subset of another.

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/sources/topology.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/image.hpp"
#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/subset.hpp"
#include "handle.hpp"
#include "names.hpp"
#include "surroundings.hpp"

namespace ayatori::capi {

namespace {

/// Numbers of children, and coordinates, have to fit C's unsigned and int.
Result<> check_size(const Topology& topology) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  const std::uint64_t objects = count_objects(topology, true);
  if (objects > most) return with_code(fail("a topology of {} objects: {} are the most", objects, most), EOVERFLOW);
  return {};
}

/// Two machines in opposite corners of a large torus are a grid with a map of all its points.
constexpr std::uint64_t max_map_at_once = 65'536;

void fill_all_arrays(const Topology& topology, ObjectStore& objects) {
  for (std::uint32_t height = 1; height <= topology.max_height(); ++height) {
    for (std::uint64_t i = 0; i < topology.count_at(height); ++i) {
      const ObjectId id = topology.object_at(height, i);
      const GridShape* const shape = topology.grid(id);
      if (shape == nullptr || shape->points() <= max_map_at_once) static_cast<void>(objects.children(id));
    }
  }
}

Result<TopologyPtr> only_this_job(TopologyPtr topology, const HostNames* aliases) {
  const auto hosts = hosts_of_this_job();
  if (!hosts) return Failure(hosts.error());
  if (hosts->empty()) return topology;
  std::vector<ObjectId> machines;
  for (const std::string& host : *hosts) {
    const auto machine = find_by_name(*topology, host, aliases);
    if (!machine) return with_code(fail("host '{}' of this job is not in the topology", host), ENOENT);
    machines.push_back(*machine);
  }
  // Batch systems name a host once for each of its processes.
  std::ranges::sort(machines);
  machines.erase(std::ranges::unique(machines).begin(), machines.end());
  return make_subset(std::move(topology), machines);
}

Result<FoundSource> source_of(const Session& session) {
  auto found = session.source ? Result<FoundSource>({*session.source, false}) : source_from_surroundings();
  if (!found) return found;
  const auto resolved = resolve_here(found->source);
  if (!resolved) return Failure(resolved.error());
  auto whole = with_kind(*resolved);
  if (!whole) return Failure(whole.error());
  return FoundSource{std::move(*whole), found->automatic};
}

SourceOptions source_options(const Session& session) { return {.host_pattern = session.host_pattern.value_or("")}; }

Result<TopologyPtr> with_faults(const Session& session, Result<TopologyPtr> topology) {
  if (!topology || !session.faults) return topology;
  return take_out(std::move(*topology), *session.faults);
}

/// Tables speak of LIDs and ports: they are read against the source's explicit network.
Result<std::shared_ptr<const TableRoutes>> read_tables(const Session& session, std::string_view source) {
  if (!session.tables) return nullptr;
  if (session.buffer.data() != nullptr) return fail("forwarding tables need a source with LIDs: a buffer has none");
  const auto text = read_file(*session.tables);
  if (!text) return Failure(text.error());
  auto network = open_source(source, source_options(session));
  if (!network) return Failure(network.error());
  auto routes = TableRoutes::parse(std::move(*network), *text, *session.tables);
  if (!routes) return Failure(routes.error());
  return std::make_shared<const TableRoutes>(std::move(*routes));
}

/// Other names of the machines; nullptr if there are none.
Result<std::shared_ptr<const HostNames>> read_aliases(const Session& session, const Topology& topology) {
  const auto file = session.aliases ? session.aliases : variable("AYATORI_ALIASES");
  if (!file) return nullptr;
  const auto text = read_file(*file);
  if (!text) return Failure(text.error());
  auto names = HostNames::parse(topology, *text, *file);
  if (!names) return Failure(names.error());
  return std::make_shared<const HostNames>(std::move(*names));
}

/// The end of all loading; on failure the session is as it was.
Result<> finish(Session& session, Result<TopologyPtr> opened, std::string source, bool as_made,
                std::shared_ptr<const TableRoutes> routes, std::shared_ptr<ObjectStore> machines = nullptr) {
  const auto topology = with_faults(session, std::move(opened));
  if (!topology) return Failure(topology.error());
  if (auto checked = check_size(**topology); !checked) return checked;
  const ObjectStore::Wanted wanted{.machines = (session.flags & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES) == 0,
                                   .names = (session.flags & NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES) == 0};
  auto made = std::make_unique<Loaded>();
  made->topology = *topology;
  made->objects = std::make_shared<ObjectStore>(*topology, wanted, std::move(machines));
  made->source = std::move(source);
  made->as_made = as_made && !session.faults;
  made->warnings.assign((*topology)->warnings().begin(), (*topology)->warnings().end());
  if (routes) made->warnings.insert(made->warnings.end(), routes->warnings().begin(), routes->warnings().end());
  made->routes = std::move(routes);
  if (count_objects(**topology, wanted.machines) <= NWTOPO_SMALL) fill_all_arrays(**topology, *made->objects);
  session.loaded = std::move(made);
  return {};
}

/// An explicit network from which an image was made, and the search for the routers of a subset, have left free pages
/// in the heap, which the kernel counts as this process's.
void trim_after_much_work(const Topology& topology) {
  constexpr std::uint64_t many = 500;
  if (topology.machine_count() >= many && formula_of(topology) == nullptr) trim_heap();
}

/// Whether the machines of other jobs are left out: by default where nobody named the source. The torus of a Tofu job
/// has no others, and no host names by which its nodes could be found.
bool is_cut_to_job(const Session& session, const FoundSource& found) {
  if (found.source.starts_with("tofu:job=")) return false;
  if ((session.flags & NWTOPO_TOPOLOGY_FLAG_THIS_JOB) != 0) return true;
  return found.automatic && (session.flags & NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM) == 0;
}

Result<> load(Session& session) {
  auto found = session.buffer.data() != nullptr ? Result<FoundSource>({"buffer", false}) : source_of(session);
  if (!found) return Failure(found.error());
  const bool physical = (session.flags & NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW) != 0;
  const TopologyOptions options{.source = source_options(session), .physical_view = physical};
  auto topology = session.buffer.data() != nullptr ? copy_image(session.buffer, "the buffer")
                                                   : open_topology(found->source, options);
  if (!topology) return Failure(topology.error());
  auto routes = read_tables(session, found->source);
  if (!routes) return Failure(routes.error());
  const TopologyPtr all = *topology;
  auto aliases = read_aliases(session, *all);
  if (!aliases) return Failure(aliases.error());
  if (is_cut_to_job(session, *found)) topology = only_this_job(all, aliases->get());
  const bool is_whole = topology && *topology == all;
  auto finished = finish(session, std::move(topology), std::move(found->source), is_whole, std::move(*routes));
  if (!finished) return finished;
  session.loaded->aliases = std::move(*aliases);
  trim_after_much_work(*session.loaded->topology);
  return finished;
}

/// The ids of machines of `base`; nothing, with errno and a message, if one is not a machine.
std::optional<std::vector<ObjectId>> machines_of(const Loaded& base, unsigned count, nwtopo_obj_t* machines) {
  std::vector<ObjectId> ids;
  ids.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    const ObjectId id = id_of(base, machines[i], "a machine of the subset");
    if (id == no_object) return std::nullopt;
    if (base.topology->kind(id) != ObjectKind::machine) {
      refuse(EINVAL, "a {} can't be a machine of the subset", to_word(base.topology->kind(id)));
      return std::nullopt;
    }
    ids.push_back(id);
  }
  return ids;
}

Result<> shrink(Session& session, const Loaded& base, std::span<const ObjectId> machines) {
  const bool reuse = (session.flags & NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS) != 0;
  const bool same = base.as_made && machines.size() == base.topology->machine_count();
  auto finished = finish(session, make_subset(base.topology, machines), base.source, same, base.routes,
                         reuse ? ObjectStore::machines_of(base.objects) : nullptr);
  if (finished) {
    session.loaded->base = base.base ? base.base : base.topology;
    session.loaded->base_handle = base.base ? base.base_handle : base.handle;
    session.loaded->aliases = base.aliases;
  }
  return finished;
}

int done(const Result<>& result) {
  if (!result) return refuse(result.error());
  return 0;
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

int nwtopo_topology_load(nwtopo_topology_t topology) {
  return with_unloaded(topology, [&](Session& session) -> int { return done(load(session)); });
}

int nwtopo_topology_shrink(nwtopo_topology_t new_topology, nwtopo_topology_t base_topology, unsigned num_machines,
                           nwtopo_obj_t* machines) {
  return guarded([&]() -> int {
    Session* const session = unloaded(new_topology);
    Loaded* const base = session == nullptr ? nullptr : loaded(base_topology);
    if (base == nullptr) return failed;
    if (machines == nullptr) return refuse(EINVAL, "the machines of the subset are NULL");
    if (num_machines == 0) return refuse(EINVAL, "a subset needs at least one machine");
    // Tables speak of the LIDs of a source, which a subset has none of: ignored, they would be missed only in its
    // routes.
    if (session->tables) return refuse(EINVAL, "a subset has the forwarding tables of its base: set them there");
    auto ids = machines_of(*base, num_machines, machines);
    if (!ids) return failed;
    // A shrink that fails must change nothing, also where memory runs out: the name is copied before, and set after it.
    auto named = session->this_machine ? session->this_machine : session_of(base_topology)->this_machine;
    const int result = done(shrink(*session, *base, *ids));
    ids.reset();
    if (result != 0) return result;
    session->this_machine = std::move(named);
    trim_after_much_work(*base->topology);
    return 0;
  });
}

}  // extern "C"
