#include <algorithm>

#include "chosen_paths.hpp"
#include "minimal_paths.hpp"

namespace ayatori {

namespace {

/// All shortest paths between the routers of ranks, listed once for each pair of routers.
class AdaptivePaths final : public ChosenPaths {
 public:
  AdaptivePaths(PathsOnBaseLids base, MinimalPaths minimal)
      : ChosenPaths(std::move(base)), minimal_(std::move(minimal)) {}

  [[nodiscard]] bool splits_by_load() const override { return true; }

  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes /*bytes*/) const override {
    if (!between_ranks(from, to)) return 1;
    return static_cast<std::uint32_t>(between(from, to).size());
  }

  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    PartPath first;
    if (machine(from) != machine(to)) part(0, from, to, first, large_message);
    links = std::move(first.links);
  }

  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const override {
    if (!between_ranks(from, to)) return inner().part(number, from, to, path, bytes);
    const std::vector<PortId>& middle = between(from, to)[number];
    path.links.assign(1, minimal_.endpoint(from));
    path.links.insert(path.links.end(), middle.begin(), middle.end());
    path.links.push_back(minimal_.last_link(to));
    path.from_nic = nic(from);
    path.to_nic = nic(to);
  }

  /// Lists the paths of every pair of routers of which somebody sends. Errors: too many.
  Result<> list(Rank ranks, const Sends& sends) {
    std::size_t links = 0;
    for (Rank from = 0; from < ranks; ++from) {
      for (Rank to = 0; to < ranks; ++to) {
        if (from == to || machine(from) == machine(to) || (sends && !sends(from, to))) continue;
        const auto [place, is_new] = between_.try_emplace({minimal_.router_of(from), minimal_.router_of(to)});
        if (!is_new) continue;
        std::vector<PortId> way;
        if (!walk(minimal_.router_of(from), to, way, place->second, links)) {
          return fail("the job's leaves have more shortest paths than the {} links that are kept of them", max_links);
        }
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t max_links = 50'000'000;

  [[nodiscard]] const std::vector<std::vector<PortId>>& between(Rank from, Rank to) const {
    return between_.at({minimal_.router_of(from), minimal_.router_of(to)});
  }

  bool walk(DeviceId router, Rank to, std::vector<PortId>& way, std::vector<std::vector<PortId>>& found,
            std::size_t& links) const {
    if (router == minimal_.router_of(to)) {
      found.push_back(way);
      links += way.size();
      return links <= max_links;
    }
    std::vector<RouterGraph::Cable> cables;
    minimal_.next_cables(router, to, cables);
    return std::all_of(cables.begin(), cables.end(), [&](const RouterGraph::Cable& cable) {
      way.push_back(minimal_.network().port_id(router, cable.port));
      const bool few = walk(cable.peer, to, way, found, links);
      way.pop_back();
      return few;
    });
  }

  MinimalPaths minimal_;
  std::map<std::pair<DeviceId, DeviceId>, std::vector<std::vector<PortId>>> between_;
};

}  // namespace

Result<std::unique_ptr<Paths>> adaptive_paths(const Network& network, const Routes& routes, const Job& job,
                                              const LinkDefaults& defaults, std::span<const DeviceId> routers,
                                              const Sends& sends) {
  auto base = PathsOnBaseLids::of(network, routes, job, defaults, routers, sends);
  if (!base) return Failure(base.error());
  auto minimal = MinimalPaths::of(network, endpoints_of_ranks(network, job), sends);
  if (!minimal) return Failure(minimal.error());
  auto paths = std::make_unique<AdaptivePaths>(std::move(*base), std::move(*minimal));
  if (auto listed = paths->list(static_cast<Rank>(job.rank_count()), sends); !listed) return Failure(listed.error());
  return paths;
}

}  // namespace ayatori
