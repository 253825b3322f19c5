#include "router_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "ayatori/network/router_graph.hpp"
#include "ayatori/network/shape.hpp"

namespace ayatori {

namespace {

using Groups = std::vector<std::uint32_t>;  // by router

bool nearly_all(std::size_t count, std::size_t all) { return all > 0 && 4 * count >= 3 * all; }

class Dragonfly {
 public:
  explicit Dragonfly(const Network& network) : graph_(network), has_machines_(graph_.size(), false) {
    for (const PortId endpoint : network.endpoints()) {
      const DeviceId router = network.router_of(endpoint);
      if (router != no_id) has_machines_[router] = true;
    }
  }

  [[nodiscard]] Groups groups() const {
    if (std::find(has_machines_.begin(), has_machines_.end(), false) != has_machines_.end()) {
      auto found = joined_by([this](DeviceId router, std::size_t i) {
        return has_machines_[router] != has_machines_[graph_.neighbours(router)[i].router];
      });
      return are_groups(found) ? found : Groups{};
    }
    const auto shared = shared_neighbours();
    std::uint32_t most = 0;
    for (const auto& counts : shared) {
      for (const std::uint32_t count : counts) most = std::max(most, count);
    }
    for (std::uint32_t least = 1; least <= most; ++least) {
      auto found = joined_by([&](DeviceId router, std::size_t i) { return shared[router][i] >= least; });
      if (are_groups(found)) return found;
    }
    return {};
  }

 private:
  /// By router and neighbour: how many other neighbours both have.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> shared_neighbours() const {
    std::vector<std::vector<std::uint32_t>> shared(graph_.size());
    std::vector<DeviceId> neighbour_of(graph_.size(), no_id);
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      for (const auto& neighbour : graph_.neighbours(router)) neighbour_of[neighbour.router] = router;
      for (const auto& neighbour : graph_.neighbours(router)) {
        const auto around = graph_.neighbours(neighbour.router);
        shared[router].push_back(static_cast<std::uint32_t>(std::count_if(
            around.begin(), around.end(), [&](const auto& other) { return neighbour_of[other.router] == router; })));
      }
    }
    return shared;
  }

  /// The components that are connected by the cables for which `is_local(router, number of its neighbour)` holds.
  template <typename IsLocal>
  [[nodiscard]] Groups joined_by(IsLocal is_local) const {
    Groups group(graph_.size(), no_id);
    std::uint32_t count = 0;
    for (DeviceId start = 0; start < graph_.size(); ++start) {
      if (group[start] != no_id) continue;
      std::vector<DeviceId> reached{start};
      group[start] = count;
      for (std::size_t next = 0; next < reached.size(); ++next) {
        const auto around = graph_.neighbours(reached[next]);
        for (std::size_t i = 0; i < around.size(); ++i) {
          if (group[around[i].router] != no_id || !is_local(reached[next], i)) continue;
          group[around[i].router] = count;
          reached.push_back(around[i].router);
        }
      }
      ++count;
    }
    return group;
  }

  [[nodiscard]] bool are_groups(const Groups& group) const {
    const std::size_t count = std::size_t{*std::max_element(group.begin(), group.end())} + 1;
    struct Members {
      std::size_t with = 0;     // routers with machines
      std::size_t without = 0;  // and without
      std::size_t ends = 0;     // of cables inside, parallel ones counted once
    };
    std::vector<Members> members(count);
    std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      Members& own = members[group[router]];
      ++(has_machines_[router] ? own.with : own.without);
      for (const auto& neighbour : graph_.neighbours(router)) {
        if (group[neighbour.router] == group[router]) {
          ++own.ends;
        } else {
          joined.emplace(group[router], group[neighbour.router]);
        }
      }
    }
    return nearly_all(joined.size(), count * (count - 1)) &&
           std::all_of(members.begin(), members.end(), [](const Members& own) {
             const std::size_t pairs = own.without == 0 ? own.with * (own.with - 1) : 2 * own.with * own.without;
             return nearly_all(own.ends, pairs);
           });
  }

  RouterGraph graph_;
  std::vector<bool> has_machines_;
};

}  // namespace

std::vector<std::uint32_t> dragonfly_groups(const Network& network) {
  if (network.direct() || network.router_count() < 4 || recognise(network).kind != ShapeKind::graph) return {};
  return Dragonfly(network).groups();
}

}  // namespace ayatori
