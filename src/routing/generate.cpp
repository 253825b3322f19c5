#include "ayatori/routing/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fabric_paths.hpp"
#include "router_order.hpp"
#include "table_writer.hpp"

namespace ayatori {

namespace {

bool all_in_one_part(const RouterGraph& graph) { return graph.by_distance_from(0).size() == graph.size(); }

/// Two routers, one in each of two parts.
std::pair<DeviceId, DeviceId> apart(const RouterGraph& graph) {
  std::vector<bool> with_first(graph.size(), false);
  for (const DeviceId router : graph.by_distance_from(0)) with_first[router] = true;
  return {0, static_cast<DeviceId>(std::find(with_first.begin(), with_first.end(), false) - with_first.begin())};
}

Result<> check_connected(const Network& network) {
  if (network.router_count() == 0) return fail("the network has no router: there is nothing to route");
  for (const PortId endpoint : network.endpoints()) {
    if (network.router_of(endpoint) != no_id) continue;
    return fail("the network is in several parts: '{}' port {} is not cabled to a router",
                network.name(network.port(endpoint).device), network.port(endpoint).number);
  }
  const RouterGraph graph(network);
  if (all_in_one_part(graph)) return {};
  const auto [one, other] = apart(graph);
  return fail("the network is in several parts: no cables lead from '{}' to '{}'", network.name(one),
              network.name(other));
}

/// The LIDs that the fabric already uses, if every channel adapter has as many as are wanted.
std::optional<LidMap> lids_to_keep(const Network& network, int lmc) {
  auto reported = LidMap::reported_by(network);
  if (!reported) return std::nullopt;
  const auto has_lmc = [&](PortId port) { return reported->of(port).lmc == lmc; };
  const auto endpoints = network.endpoints();
  const auto aggregation = network.aggregation_ports();
  if (!std::all_of(endpoints.begin(), endpoints.end(), has_lmc)) return std::nullopt;
  if (!std::all_of(aggregation.begin(), aggregation.end(), has_lmc)) return std::nullopt;
  return std::move(*reported);
}

std::string name_some(const Network& network, const std::vector<DeviceId>& routers) {
  constexpr std::size_t most = 3;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(most, routers.size()); ++i) names.push_back(network.name(routers[i]));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     routers.size() > most ? fmt::format(" and {} more", routers.size() - most) : std::string());
}

void note_leaves_with_fewer_paths(const Network& network, const FabricPaths& paths, std::vector<std::string>& notes) {
  std::vector<DeviceId> poorer;
  std::uint32_t fewest = paths.max_paths();
  for (const auto& leaf : paths.leaves()) {
    if (leaf.paths == paths.max_paths()) continue;
    poorer.push_back(leaf.router);
    fewest = std::min(fewest, leaf.paths);
  }
  if (poorer.empty()) return;
  notes.push_back(fmt::format("{} of {} routers with machines have fewer than {} paths, down to {}: {}", poorer.size(),
                              paths.leaves().size(), paths.max_paths(), fewest, name_some(network, poorer)));
}

std::vector<std::string> notes_on(const Network& network, const FabricPaths& paths, const RouterOrder& order) {
  std::vector<std::string> notes;
  if (paths.tree() == nullptr) notes.push_back("no tree of levels, so up*/down* routes: " + paths.why_no_tree());
  note_leaves_with_fewer_paths(network, paths, notes);
  if (order.lost_turns() > 0) {
    const std::vector<DeviceId> losers(order.losers().begin(), order.losers().end());
    notes.push_back(fmt::format("turns of the tree left out so that roots reach each other without deadlock: {}, at {}",
                                order.lost_turns(), name_some(network, losers)));
  }
  return notes;
}

int lmc_for(std::uint32_t paths) {
  int lmc = 0;
  while ((std::uint64_t{1} << lmc) < paths) ++lmc;
  return lmc;
}

bool fits(const Network& network, int lmc) {
  return lmc <= max_lmc && LidMap::last_lid_needed(network, lmc) <= last_unicast_lid;
}

/// The last of the LIDs that generate_routes() will use.
std::uint64_t last_lid_used(const Network& network, int lmc) {
  const auto kept = lids_to_keep(network, lmc);
  return kept ? kept->last() : LidMap::last_lid_needed(network, lmc);
}

std::string explain(const Network& network, const LmcChoice& choice) {
  const auto text = fmt::format("LMC {}: {} {} a port for {} {}, last LID {:#06x}", choice.lmc, 1U << choice.lmc,
                                choice.lmc == 0 ? "LID" : "LIDs", choice.paths, choice.paths == 1 ? "path" : "paths",
                                last_lid_used(network, choice.lmc));
  if (choice.all_paths) return text;
  const int wanted = lmc_for(choice.paths);
  if (choice.lmc == max_lmc)
    return fmt::format("{}; LMC {} would give each path a LID, but {} is the largest", text, wanted, max_lmc);
  const int next = choice.lmc + 1;
  return fmt::format("{}; LMC {} would need LIDs up to {:#x}, and unicast LIDs end at {:#x}", text, next,
                     LidMap::last_lid_needed(network, next), last_unicast_lid);
}

}  // namespace

Result<LmcChoice> choose_lmc(const Network& network) {
  if (auto fits_tables = check_table_ports(network); !fits_tables) return Failure(fits_tables.error());
  if (!fits(network, 0)) return Failure(LidMap::assign(network, 0).error());
  LmcChoice choice;
  choice.paths = FabricPaths(network).max_paths();
  const int wanted = lmc_for(choice.paths);
  choice.lmc = std::min(wanted, max_lmc);
  while (!fits(network, choice.lmc)) --choice.lmc;
  choice.all_paths = choice.lmc == wanted;
  choice.explanation = explain(network, choice);
  return choice;
}

Result<Generated> generate_routes(const Network& network, int lmc, std::span<const std::uint32_t> endpoint_numbers) {
  if (!endpoint_numbers.empty() && endpoint_numbers.size() != network.endpoints().size()) {
    return fail("{} numbers do not fit {} endpoints", endpoint_numbers.size(), network.endpoints().size());
  }
  if (auto fits_tables = check_table_ports(network); !fits_tables) return Failure(fits_tables.error());
  if (auto connected = check_connected(network); !connected) return Failure(connected.error());
  Generated generated;
  auto kept = lids_to_keep(network, lmc);
  generated.lids_kept = kept.has_value();
  auto lids = kept ? Result<LidMap>(std::move(*kept)) : LidMap::assign(network, lmc);
  if (!lids) return Failure(lids.error());

  const FabricPaths paths(network);
  const RouterOrder order = paths.tree() != nullptr ? RouterOrder::for_tree(paths.graph(), *paths.levels())
                                                    : RouterOrder::breadth_first(paths.graph());
  generated.lmc = lmc;
  generated.engine = paths.tree() != nullptr ? Engine::fat_tree : Engine::up_down;
  generated.paths = paths.max_paths();
  generated.notes = notes_on(network, paths, order);
  generated.routes.tables = write_tables_for(network, *lids, paths, order, endpoint_numbers);
  generated.routes.lids = std::move(*lids);
  return generated;
}

}  // namespace ayatori
