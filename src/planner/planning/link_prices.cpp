#include "link_prices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ayatori {

namespace {

constexpr double last_place = 0.5;  ///< in units of first_use: price of the top router that is used most

/// The router in the middle of the routes that use a link, for the links adjacent to it; no_id for all other links.
std::vector<DeviceId> tops_of_links(const Network& network, const JobPaths& paths) {
  std::vector<DeviceId> top_of(paths.link_count(), no_id);
  for (std::uint32_t endpoint = 0; endpoint < paths.endpoint_count(); ++endpoint) {
    for (std::uint32_t choice = 0; choice < paths.choice_count(endpoint); ++choice) {
      for (std::uint32_t leaf = 0; leaf < paths.leaf_count(); ++leaf) {
        const auto route = paths.route(leaf, endpoint, choice);
        if (route.size() < 2 || route.size() % 2 != 0) continue;
        const LinkIndex up = route[route.size() / 2 - 1];
        const DeviceId top = network.port(network.port(paths.port(up)).peer).device;
        top_of[up] = top_of[route[route.size() / 2]] = top;
      }
    }
  }
  return top_of;
}

}  // namespace

std::vector<double> shares_of(const Network& network, std::span<const Footprint> footprints) {
  std::vector<double> by_port(network.port_count(), 0);
  for (const Footprint& footprint : footprints) {
    for (const LinkUse& use : footprint.links) by_port[use.link] += footprint.share(use);
  }
  return by_port;
}

Conflicts conflicts_of(const Network& network, const Footprint& job, std::span<const Footprint> others) {
  const std::vector<double> by_port = shares_of(network, others);
  Conflicts conflicts;
  for (const LinkUse& use : job.links) {
    const Port& port = network.port(use.link);
    const bool cable = !network.is_router(port.device) || !network.is_router(network.port(port.peer).device);
    (cable ? conflicts.on_cables : conflicts.between_routers) += by_port[use.link] * job.share(use);
  }
  return conflicts;
}

LinkPrices::LinkPrices(const Network& network, const JobPaths& paths, std::span<const Footprint> others,
                       std::span<const double> extra)
    : extra_(paths.link_count(), 0), preference_(paths.link_count(), 0), used_(paths.link_count(), 0) {
  const std::vector<double> shares = shares_of(network, others);
  const std::vector<LinkOccupancy> occupancies = link_occupancies(network, others);
  for (LinkIndex link = 0; link < paths.link_count(); ++link) {
    share_of_others_.push_back(shares[paths.port(link)]);
    occupancy_.push_back(occupancies[paths.port(link)]);
    if (!extra.empty()) extra_[link] = extra[paths.port(link)];
  }
  prefer_quiet_tops(network, paths);
}

void LinkPrices::add_step(const JobPaths& paths, std::span<const StepMessage> messages, int sign) {
  touched_.clear();
  for (const StepMessage& message : messages) {
    const auto route = paths.route(message.leaf, message.endpoint, message.choice);
    touched_.insert(touched_.end(), route.begin(), route.end());
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const LinkIndex link : touched_) used_[link] += sign;
}

LinkOccupancy LinkPrices::weights(const JobPaths& paths, std::span<const StepMessage> messages) const {
  LinkOccupancy weights;
  weights.fill(1);
  for (const StepMessage& message : messages) {
    for (const LinkIndex link : paths.route(message.leaf, message.endpoint, message.choice)) {
      for (std::size_t k = 0; k < weights.size(); ++k) weights[k] *= 1 - occupancy_[link][k];
    }
  }
  for (double& weight : weights) weight = std::max(weight, least_weight);
  return weights;
}

std::vector<double> LinkPrices::of_step(double first_use, const LinkOccupancy& weights) const {
  std::vector<double> prices(share_of_others_.size());
  for (LinkIndex link = 0; link < prices.size(); ++link) {
    const auto used = static_cast<double>(used_[link]);
    const double own = std::sqrt(used + 1) - std::sqrt(used) + preference_[link];
    prices[link] = extra_[link] + first_use * own;
    for (std::size_t k = 0; k < weights.size(); ++k) prices[link] += weights[k] * occupancy_[link][k];
  }
  return prices;
}

void LinkPrices::prefer_quiet_tops(const Network& network, const JobPaths& paths) {
  std::vector<std::pair<double, DeviceId>> tops;
  std::vector<std::uint32_t> number(network.router_count(), no_id);
  const std::vector<DeviceId> top_of = tops_of_links(network, paths);
  for (LinkIndex link = 0; link < paths.link_count(); ++link) {
    if (top_of[link] == no_id) continue;
    std::uint32_t& top = number[top_of[link]];
    if (top == no_id) {
      top = static_cast<std::uint32_t>(tops.size());
      tops.emplace_back(0, top_of[link]);
    }
    tops[top].first += share_of_others_[link];
  }
  std::sort(tops.begin(), tops.end());
  std::vector<double> price(network.router_count(), 0);
  for (std::size_t place = 0; place < tops.size(); ++place) {
    price[tops[place].second] = last_place * static_cast<double>(place) / static_cast<double>(tops.size());
  }
  for (LinkIndex link = 0; link < paths.link_count(); ++link) {
    if (top_of[link] != no_id) preference_[link] = price[top_of[link]];
  }
}

}  // namespace ayatori
