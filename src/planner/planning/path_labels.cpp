#include "path_labels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

namespace ayatori {

namespace {

constexpr Label none = std::numeric_limits<Label>::max();

class Unions {
 public:
  explicit Unions(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

/// What a link is in the routes that use it; a tree's links are always the same.
struct Role {
  bool used = false;
  bool climbs = false;
  std::size_t height = 0;

  friend bool operator==(const Role&, const Role&) = default;
};

class Labeller {
 public:
  Labeller(const Network& network, const JobPaths& paths, const SearchControl& control)
      : network_(network),
        paths_(paths),
        control_(control),
        classes_(paths.link_count()),
        groups_(network.router_count()),
        roles_(paths.link_count()) {}

  bool join_links() {
    bool clean = true;
    for_each_route([&](std::span<const LinkIndex> route) { clean = clean && join(route); });
    return clean && no_router_has_two_of_a_class();
  }

  /// Labels in the order in which routes use them.
  void number(std::vector<Label>& labels, std::vector<std::uint32_t>& counts) {
    std::vector<Label> label_of_class(paths_.link_count(), none);
    std::vector<Label> labels_of_group(network_.router_count(), 0);
    const auto has_labels = [&](std::span<const LinkIndex> route) {
      return std::ranges::all_of(route.first(route.size() / 2),
                                 [&](LinkIndex link) { return label_of_class[classes_.find(link)] != none; });
    };
    const auto give_labels = [&](std::span<const LinkIndex> route) {
      for (std::size_t height = 0; height < route.size() / 2; ++height) {
        Label& label = label_of_class[classes_.find(route[height])];
        if (label != none) continue;
        label = labels_of_group[groups_.find(lower_router(route[height]))]++;
        counts.resize(std::max(counts.size(), height + 1), 0);
        counts[height] = std::max<std::uint32_t>(counts[height], label + 1U);
      }
    };
    for (std::uint32_t endpoint = 0; endpoint < paths_.endpoint_count() && !control_.stopped(); ++endpoint) {
      bool all_have = true;
      for_each_route_to(endpoint, 0, [&](std::span<const LinkIndex> r) { all_have = all_have && has_labels(r); });
      if (!all_have) for_each_route_to(endpoint, paths_.lowest_choice(network_, endpoint), give_labels);
    }
    for (LinkIndex link = 0; link < paths_.link_count(); ++link) labels.push_back(label_of_class[classes_.find(link)]);
  }

 private:
  template <typename Visit>
  void for_each_route(Visit&& visit) const {
    for (std::uint32_t endpoint = 0; endpoint < paths_.endpoint_count() && !control_.stopped(); ++endpoint)
      for_each_route_to(endpoint, 0, visit);
  }

  /// The choices cyclically, from `first` on.
  template <typename Visit>
  void for_each_route_to(std::uint32_t endpoint, std::uint32_t first, Visit&& visit) const {
    const std::uint32_t choices = paths_.choice_count(endpoint);
    for (std::uint32_t i = 0; i < choices; ++i) {
      for (std::uint32_t leaf = 0; leaf < paths_.leaf_count(); ++leaf)
        visit(paths_.route(leaf, endpoint, (first + i) % choices));
    }
  }

  /// False if this is not a route of as many links up as down, in the roles that the links have elsewhere.
  bool join(std::span<const LinkIndex> route) {
    if (route.size() % 2 != 0) return false;
    for (std::size_t height = 0; height < route.size() / 2; ++height) {
      const LinkIndex up = route[height];
      const LinkIndex down = route[route.size() - 1 - height];
      if (!take_role(up, {true, true, height}) || !take_role(down, {true, false, height})) return false;
      classes_.join(up, down);
      groups_.join(lower_router(up), lower_router(down));
    }
    return true;
  }

  bool take_role(LinkIndex link, Role role) {
    if (!roles_[link].used) roles_[link] = role;
    return roles_[link] == role;
  }

  /// The lower end of a link.
  [[nodiscard]] DeviceId lower_router(LinkIndex link) const {
    const Port& port = network_.port(paths_.port(link));
    return roles_[link].climbs ? port.device : network_.port(port.peer).device;
  }

  bool no_router_has_two_of_a_class() {
    std::set<std::tuple<DeviceId, bool, std::uint32_t>> seen;
    for (LinkIndex link = 0; link < paths_.link_count(); ++link) {
      if (!seen.insert({lower_router(link), roles_[link].climbs, classes_.find(link)}).second) return false;
    }
    return true;
  }

  const Network& network_;
  const JobPaths& paths_;
  const SearchControl& control_;
  Unions classes_;
  Unions groups_;
  std::vector<Role> roles_;
};

}  // namespace

PathLabels::PathLabels(const Network& network, const JobPaths& paths, const SearchControl& control) {
  Labeller labeller(network, paths, control);
  consistent_ = labeller.join_links();
  if (consistent_) labeller.number(label_, counts_);
  consistent_ = consistent_ && !control.stopped();
}

}  // namespace ayatori
