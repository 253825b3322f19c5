#include "ayatori/routing/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "ayatori/routing/check.hpp"
#include "balanced_tables.hpp"
#include "fabric_paths.hpp"
#include "parts.hpp"
#include "router_order.hpp"
#include "table_writer.hpp"

namespace ayatori {

namespace {

constexpr const char* no_paths_for_jobs =
    "base LIDs are spread for all hosts alike: only in trees of levels can jobs have paths of their own";

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

void note_lost_turns(const Network& network, const RouterOrder& order, std::vector<std::string>& notes) {
  const std::vector<DeviceId> losers(order.losers().begin(), order.losers().end());
  notes.push_back(fmt::format("turns of the tree left out so that roots reach each other without deadlock: {}, at {}",
                              order.lost_turns(), name_some(network, losers)));
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

/// How many LIDs a port could use: paths of a tree; elsewhere cables of a router.
struct Choices {
  std::uint32_t most = 1;
  bool are_paths = true;

  void add(const FabricPaths& of_part) {
    if (of_part.max_paths() <= most) return;
    most = of_part.max_paths();
    are_paths = of_part.tree() != nullptr;
  }
  [[nodiscard]] std::string in_words() const {
    return are_paths ? fmt::format("{} {}", most, most == 1 ? "path" : "paths")
                     : fmt::format("{} cables of a router to others", most);
  }
};

std::string explain(const Network& network, const LmcChoice& choice, const std::string& choices) {
  const auto text = fmt::format("LMC {}: {} {} a port for {}, last LID {:#06x}", choice.lmc, 1U << choice.lmc,
                                choice.lmc == 0 ? "LID" : "LIDs", choices, last_lid_used(network, choice.lmc));
  if (choice.all_paths) return text;
  const int wanted = lmc_for(choice.paths);
  if (choice.lmc == max_lmc)
    return fmt::format("{}; LMC {} would give each path a LID, but {} is the largest", text, wanted, max_lmc);
  const int next = choice.lmc + 1;
  return fmt::format("{}; LMC {} would need LIDs up to {:#x}, and unicast LIDs end at {:#x}", text, next,
                     LidMap::last_lid_needed(network, next), last_unicast_lid);
}

Result<Choices> count_choices(const Network& network) {
  Choices choices;
  const RouterGraph graph(network);
  if (graph.size() == 0 || is_in_one_part(network, graph)) {
    choices.add(FabricPaths(network));
    return choices;
  }
  const auto parts = parts_of(network, graph);
  if (!parts) return Failure(parts.error());
  for (const NetworkPart& part : *parts) choices.add(FabricPaths(part.network));
  return choices;
}

/// Fills in the tables and notes of a tree. The order keeps deadlock away from all packets, but may forbid routes
/// between hosts. Then routes by levels are tried: they forbid none of these.
void generate_for_tree(const Network& network, const LidMap& lids, const FabricPaths& paths,
                       std::span<const std::uint32_t> endpoint_numbers, PathNumbering numbering, Generated& generated) {
  const RouterOrder order = RouterOrder::for_tree(paths.graph(), *paths.levels());
  note_leaves_with_fewer_paths(network, paths, generated.notes);
  const auto write = [&](RouteRule rule) {
    return write_tables_for(network, lids, paths, order, rule, endpoint_numbers, numbering);
  };
  if (order.lost_turns() > 0) {
    Routes by_levels{lids, write(RouteRule::by_levels)};
    if (check_tables(network, by_levels).deadlock_free) {
      generated.routes.tables = std::move(by_levels.tables);
      return;
    }
    note_lost_turns(network, order, generated.notes);
  }
  generated.routes.tables = write(RouteRule::by_order);
}

/// Tables of a network whose cables join all of it.
Generated generate_for_part(const Network& network, LidMap lids, std::span<const std::uint32_t> endpoint_numbers,
                            PathNumbering numbering) {
  const FabricPaths paths(network);
  Generated generated;
  generated.paths = paths.max_paths();
  if (paths.tree() != nullptr) {
    generated.engine = Engine::fat_tree;
    generate_for_tree(network, lids, paths, endpoint_numbers, numbering, generated);
  } else {
    generated.engine = Engine::balanced;
    generated.notes.push_back("no tree of levels, so balanced paths: " + paths.why_no_tree());
    if (!endpoint_numbers.empty()) generated.notes.push_back(no_paths_for_jobs);
    generated.routes.tables = write_balanced_tables(network, lids, paths.graph());
  }
  generated.routes.lids = std::move(lids);
  return generated;
}

/// What `lids` gives the ports of a part.
Result<LidMap> lids_of(const NetworkPart& part, const Network& whole, const LidMap& lids) {
  std::vector<LidRange> ranges;
  for (PortId port = 0; port < part.network.port_count(); ++port) {
    const Port& here = part.network.port(port);
    // A NIC of two parts has LIDs in both; only the port that is cabled here matters.
    if (!here.connected() && !(part.network.is_router(here.device) && here.number == 0)) continue;
    LidRange range = lids.of(part.in_whole(whole, port));
    range.port = port;
    if (range.base != 0) ranges.push_back(range);
  }
  return LidMap::from_ranges(part.network, std::move(ranges));
}

/// The numbers of a part's endpoints, by place in its own list; empty if those of the whole network are.
std::vector<std::uint32_t> numbers_of(const NetworkPart& part, const Network& whole,
                                      std::span<const std::uint32_t> endpoint_numbers) {
  std::vector<std::uint32_t> numbers;
  if (endpoint_numbers.empty()) return numbers;
  std::unordered_map<PortId, std::uint32_t> number_of;
  for (std::size_t i = 0; i < endpoint_numbers.size(); ++i) number_of[whole.endpoints()[i]] = endpoint_numbers[i];
  for (const PortId port : part.network.endpoints()) numbers.push_back(number_of.at(part.in_whole(whole, port)));
  return numbers;
}

/// Tables for each part of its own: between parts there are no entries.
Result<Generated> generate_by_part(const Network& network, LidMap lids, const RouterGraph& graph,
                                   std::span<const std::uint32_t> endpoint_numbers, PathNumbering numbering) {
  const auto parts = parts_of(network, graph);
  if (!parts) return Failure(parts.error());
  Generated generated;
  generated.routes.tables = ForwardingTables(network.router_count(), lids.last());
  for (const NetworkPart& part : *parts) {
    auto part_lids = lids_of(part, network, lids);
    if (!part_lids) return Failure(part_lids.error());
    const auto numbers = numbers_of(part, network, endpoint_numbers);
    const Generated made = generate_for_part(part.network, std::move(*part_lids), numbers, numbering);
    for (DeviceId router = 0; router < part.network.router_count(); ++router) {
      std::ranges::copy(made.routes.tables.row(router), generated.routes.tables.row(part.devices[router]).begin());
    }
    if (part.network.endpoints().empty()) continue;  // nobody needs the notes on an island without hosts
    if (made.engine == Engine::balanced) generated.engine = Engine::balanced;
    generated.paths = std::max(generated.paths, made.paths);
    for (const std::string& note : made.notes) {
      generated.notes.push_back(fmt::format("part of '{}': {}", network.name(part.devices.front()), note));
    }
  }
  generated.routes.lids = std::move(lids);
  return generated;
}

}  // namespace

Result<LmcChoice> choose_lmc(const Network& network) {
  if (auto fits_tables = check_table_ports(network); !fits_tables) return Failure(fits_tables.error());
  if (!fits(network, 0)) return Failure(LidMap::assign(network, 0).error());
  LmcChoice choice;
  const auto choices = count_choices(network);
  if (!choices) return Failure(choices.error());
  choice.paths = choices->most;
  const int wanted = lmc_for(choice.paths);
  choice.lmc = std::min(wanted, max_lmc);
  while (!fits(network, choice.lmc)) --choice.lmc;
  choice.all_paths = choice.lmc == wanted;
  choice.explanation = explain(network, choice, choices->in_words());
  return choice;
}

Result<Generated> generate_routes(const Network& network, int lmc, std::span<const std::uint32_t> endpoint_numbers,
                                  PathNumbering numbering) {
  if (!endpoint_numbers.empty() && endpoint_numbers.size() != network.endpoints().size()) {
    return fail("{} numbers do not fit {} endpoints", endpoint_numbers.size(), network.endpoints().size());
  }
  if (auto fits_tables = check_table_ports(network); !fits_tables) return Failure(fits_tables.error());
  if (network.router_count() == 0) return fail("the network has no router: there is nothing to route");
  auto kept = lids_to_keep(network, lmc);
  const bool lids_kept = kept.has_value();
  auto lids = kept ? Result<LidMap>(std::move(*kept)) : LidMap::assign(network, lmc);
  if (!lids) return Failure(lids.error());
  const RouterGraph graph(network);
  auto generated = is_in_one_part(network, graph)
                       ? Result<Generated>(generate_for_part(network, std::move(*lids), endpoint_numbers, numbering))
                       : generate_by_part(network, std::move(*lids), graph, endpoint_numbers, numbering);
  if (!generated) return generated;
  generated->lmc = lmc;
  generated->lids_kept = lids_kept;
  return generated;
}

}  // namespace ayatori
