#include "balanced_paths.hpp"

#include <algorithm>
#include <random>
#include <ranges>
#include <utility>

#include "router_order.hpp"
#include "up_down.hpp"

namespace ayatori {

namespace {

/// Passes over all trees end when one gains less than this share of the sum.
constexpr double worth_a_pass = 0.01;
/// A tree is kept for a gain that is more than rounding.
constexpr double rounding = 1e-9;
/// Of the last passes: the busiest channels decide.
constexpr int last_exponent = 6;

/// Channels that searches for cycles visit in a pass over all trees, at most: about ten seconds.
constexpr std::size_t visits_in_a_pass = 1'000'000'000;

}  // namespace

BalancedPaths::BalancedPaths(const RouterGraph& graph, const Channels& channels, std::span<const std::uint32_t> hosts,
                             Start start, const SearchControl& control)
    : graph_(graph),
      channels_(channels),
      hosts_(hosts),
      start_(start),
      control_(control),
      order_(channels_),
      effort_(visits_in_a_pass / (graph.size() * channels.size() + 1) + 1),
      grower_(channels_, hosts_),
      loads_(channels, hosts),
      trees_(graph.size()) {
  loads_.clear(start.exponent);
  for (DeviceId router = 0; router < graph.size(); ++router) {
    if (hosts_[router] > 0) routers_.push_back({router, hosts_[router], &trees_[router]});
  }
  if (start.top != no_id) {
    begin_with_up_down();
  } else if (!start.dimensions.empty()) {
    complete_ = begin_with_rising_dimensions();
  } else {
    complete_ = begin_with_shortest_paths();
  }
  if (!complete_) return;
  improve(routers_, Order::changes);
  const bool hosts_unrestricted = unrestricted_;
  add_other_dependencies();
  unrestricted_ = hosts_unrestricted;
}

/// Paths between hosts come first, since few packets go to routers themselves; unless a router then can't be reached.
void BalancedPaths::add_other_dependencies() {
  const ChannelOrder of_hosts = order_;
  admit_other_shortest_paths();
  complete_ = add_routers_without_hosts();
  if (complete_) return;
  order_ = of_hosts;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (hosts_[router] == 0) trees_[router].clear();
  }
  complete_ = add_routers_without_hosts();
  admit_other_shortest_paths();
}

/// False if a router with hosts can't join; then no dependency is added.
bool BalancedPaths::grow(DeviceId destination, PathTree& tree, Order order) {
  if (order == Order::changes) return grow_in_changing_order(destination, tree);
  const auto allow = [&](ChannelId before, ChannelId after) { return order_.allows(before, after); };
  const bool grown = grower_.grow(destination, {loads_.costs(), lengths_}, tree, allow);
  if (grown) grower_.prune(tree, [](ChannelId, ChannelId) {});
  return grown;
}

bool BalancedPaths::grow_in_changing_order(DeviceId destination, PathTree& tree) {
  const auto allow = [&](ChannelId before, ChannelId after) {
    const bool added = order_.add(before, after, effort_);
    unrestricted_ = unrestricted_ && added;
    return added;
  };
  const bool grown = grower_.grow(destination, {loads_.costs(), lengths_}, tree, allow);
  if (grown) {
    grower_.prune(tree, [&](ChannelId before, ChannelId after) { order_.remove(before, after); });
  } else {
    remove_dependencies(tree);
  }
  return grown;
}

/// They must close no cycle.
void BalancedPaths::add_dependencies(const PathTree& tree) {
  for (const ChannelId channel : tree) {
    if (channel == no_channel) continue;
    const ChannelId after = tree[channels_[channel].to];
    if (after != no_channel) order_.add(channel, after);
  }
}

void BalancedPaths::remove_dependencies(const PathTree& tree) {
  for (const ChannelId channel : tree) {
    if (channel == no_channel) continue;
    const ChannelId after = tree[channels_[channel].to];
    if (after != no_channel) order_.remove(channel, after);
  }
}

/// False if a router can't join a tree without closing a cycle.
bool BalancedPaths::begin_with_shortest_paths() {
  for (const auto& [router, addresses, tree] : routers_) {
    if (!grow(router, *tree, Order::changes)) return false;
    loads_.add(*tree, router, addresses);
  }
  return true;
}

/// Dimension-order routing (Sullivan and Bashkow, 1977). False if a cable that it needs is missing.
bool BalancedPaths::begin_with_rising_dimensions() {
  const auto rises = [&](ChannelId before, ChannelId after) {
    return start_.dimensions[before] < start_.dimensions[after];
  };
  for (const auto& [router, addresses, tree] : routers_) {
    if (!grower_.grow(router, {loads_.costs(), lengths_}, *tree, rises)) return false;
    grower_.prune(*tree, [](ChannelId, ChannelId) {});
    add_dependencies(*tree);
    loads_.add(*tree, router, addresses);
  }
  return true;
}

void BalancedPaths::begin_with_up_down() {
  UpDown up_down(graph_, RouterOrder::breadth_first(graph_, start_.top), nullptr);
  const auto may_join = [&](ChannelId channel, ChannelId) {
    return up_down.is_next(channels_[channel].from, channels_[channel].to);
  };
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    PathTree& tree = trees_[router];
    up_down.aim(router);
    grower_.grow(router, {loads_.costs(), lengths_}, tree, may_join);
    grower_.prune(tree, [](ChannelId, ChannelId) {});
    add_dependencies(tree);
    loads_.add(tree, router, hosts_[router]);
  }
}

/// Few packets go to routers themselves. False if one can't be reached without closing a cycle.
bool BalancedPaths::add_routers_without_hosts() {
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (trees_[router].empty() && !grow(router, trees_[router], Order::changes)) return false;
  }
  return true;
}

/// Those that most pairs could use first; of equals any, lest those of a few routers come first.
void BalancedPaths::admit_other_shortest_paths() {
  std::vector<std::size_t> first;  // by channel: its first entry in pairs
  std::size_t count = 0;
  for (ChannelId channel = 0; channel < channels_.size(); ++channel) {
    first.push_back(count);
    count += channels_.count(channels_[channel].to);
  }
  std::vector<std::uint64_t> pairs(count, 0);
  std::vector<bool> is_passed(graph_.size());  // on a shortest path of some host
  for (const Destination& destination : routers_) {
    const auto hops = graph_.hops_from(destination.router);
    for (DeviceId router = 0; router < graph_.size(); ++router) is_passed[router] = hosts_[router] > 0;
    for (const DeviceId router : graph_.by_distance_from(destination.router) | std::views::reverse) {
      const ChannelId end = channels_.first(router) + channels_.count(router);
      for (ChannelId away = channels_.first(router); away < end; ++away) {
        const DeviceId farther = channels_[away].to;
        if (hops[farther] != hops[router] + 1 || !is_passed[farther]) continue;
        is_passed[router] = true;
        for (ChannelId after = channels_.first(router); after < end; ++after) {
          if (hops[channels_[after].to] + 1 == hops[router])
            pairs[first[channels_[away].back] + after - channels_.first(router)] += destination.addresses;
        }
      }
    }
  }
  struct Wanted {
    std::uint64_t pairs;
    ChannelId before;
    ChannelId after;
  };
  std::vector<Wanted> wanted;
  for (ChannelId before = 0; before < channels_.size(); ++before) {
    const DeviceId router = channels_[before].to;
    for (std::uint32_t i = 0; i < channels_.count(router); ++i) {
      if (pairs[first[before] + i] > 0)
        wanted.push_back({pairs[first[before] + i], before, channels_.first(router) + i});
    }
  }
  std::mt19937 random(1);
  std::ranges::shuffle(wanted, random);
  std::ranges::stable_sort(wanted, std::ranges::greater{}, &Wanted::pairs);
  for (const Wanted& one : wanted) {
    if (control_.stopped()) return;
    order_.add(one.before, one.after, effort_);
  }
}

/// Grows the tree anew and keeps the better one. Returns by how much the sum falls.
double BalancedPaths::improve_tree(const Destination& destination, Order order) {
  const auto& [router, addresses, tree] = destination;
  const double removed = loads_.remove(*tree, router, addresses);
  if (order == Order::changes) remove_dependencies(*tree);
  if (grow(router, other_, order)) {
    const double added = loads_.add(other_, router, addresses);
    if (added < removed * (1 - rounding)) {
      tree->swap(other_);
      return removed - added;
    }
    loads_.remove(other_, router, addresses);
    if (order == Order::changes) remove_dependencies(other_);
  }
  loads_.add(*tree, router, addresses);
  if (order == Order::changes) add_dependencies(*tree);
  return 0;
}

void BalancedPaths::improve(std::span<const Destination> destinations, Order order) {
  double sum = loads_.sum();
  double gain = sum;
  while (gain > worth_a_pass * sum) {
    gain = 0;
    control_.expect(destinations.size());
    for (const Destination& destination : destinations) {
      if (control_.stopped()) return;
      gain += improve_tree(destination, order);
      control_.did();
    }
    sum -= gain;
  }
}

/// Draws the lengths of channels that the trees of a round see; in round 0 all are 1.
void BalancedPaths::draw_lengths(std::uint32_t round, std::size_t destination) {
  if (round == 0) return;
  std::minstd_rand random(static_cast<std::uint32_t>(round * 1'000'003 + destination));
  lengths_.resize(channels_.size());
  for (std::uint8_t& length : lengths_) length = static_cast<std::uint8_t>(1 + (random() >> 16U & 1U));
}

std::vector<PathTree> BalancedPaths::to(std::span<const DeviceId> destinations, std::uint32_t round) {
  lengths_.clear();
  std::vector<PathTree> trees(destinations.size());
  if (round == 0 && !start_.dimensions.empty()) {
    std::ranges::transform(destinations, trees.begin(), [&](DeviceId router) { return trees_[router]; });
    return trees;
  }
  std::vector<Destination> addresses;
  for (std::size_t i = 0; i < trees.size(); ++i) addresses.push_back({destinations[i], 1, &trees[i]});
  // The first of each router, then the second of each: so the addresses of a router are spread.
  std::vector<std::size_t> place(trees.size());
  std::vector<std::size_t> seen(graph_.size(), 0);
  for (std::size_t i = 0; i < trees.size(); ++i) place[i] = seen[destinations[i]]++;
  std::ranges::stable_sort(addresses, {}, [&](const Destination& d) {
    return std::pair(place[static_cast<std::size_t>(d.tree - trees.data())], d.router);
  });

  loads_.clear(start_.exponent);
  control_.expect(addresses.size());
  for (const auto& [router, count, tree] : addresses) {
    draw_lengths(round, static_cast<std::size_t>(tree - trees.data()));
    control_.did();
    if (control_.stopped() || !grow(router, *tree, Order::stands)) *tree = trees_[router];
    loads_.add(*tree, router, count);
  }
  if (round == 0) improve(addresses, Order::stands);
  loads_.set_exponent(last_exponent);
  if (round == 0) improve(addresses, Order::stands);
  return trees;
}

}  // namespace ayatori
