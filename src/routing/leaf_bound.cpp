#include "leaf_bound.hpp"

#include <algorithm>
#include <limits>

namespace ayatori {

LeafBound::LeafBound(const Network& network, const JobNodes& nodes, const JobPaths& paths, const LinkWeights& weights)
    : nodes_(nodes), ideal_(network, nodes, weights) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
  different_weights_ = weight_;
  std::sort(different_weights_.begin(), different_weights_.end());
  different_weights_.erase(std::unique(different_weights_.begin(), different_weights_.end()), different_weights_.end());
  for (Direction* direction : {&out_, &in_}) {
    direction->links.resize(nodes.site_count());
    direction->messages.resize(nodes.site_count());
    direction->site_of_link.assign(paths.link_count(), no_id);
  }
  for (std::uint32_t node = 0; node < nodes.node_count(); ++node) {
    for (std::uint32_t choice = 0; choice < paths.choice_count(node); ++choice) {
      for (std::uint32_t site = 0; site < nodes.site_count(); ++site) {
        const auto route = paths.route(site, node, choice);
        if (route.empty()) continue;
        out_.add(site, route.front());
        in_.add(nodes.site(node), route.back());
      }
    }
  }
  for (LinkIndex link = 0; link < paths.link_count(); ++link) {
    neighbours_ = neighbours_ || (out_.site_of_link[link] != no_id && in_.site_of_link[link] != no_id);
  }
}

void LeafBound::Direction::add(std::uint32_t site, LinkIndex link) {
  if (site_of_link[link] != no_id) return;
  site_of_link[link] = site;
  links[site].push_back(link);
}

void LeafBound::count(std::span<const Message> messages) {
  std::fill(out_.messages.begin(), out_.messages.end(), 0U);
  std::fill(in_.messages.begin(), in_.messages.end(), 0U);
  for (const Message& m : messages) {
    if (!nodes_.leaves_site(m)) continue;
    ++out_.messages[nodes_.site(nodes_.node_of(m.from))];
    ++in_.messages[nodes_.site(nodes_.node_of(m.to))];
  }
}

StepBound LeafBound::of(std::span<const Message> messages) {
  count(messages);
  StepBound bound;
  bound.ideal = bound.time = ideal_.of(messages);
  for (std::uint32_t site = 0; site < nodes_.site_count(); ++site) {
    bound.time = std::max(time_needed(out_, site, bound.time), time_needed(in_, site, bound.time));
  }
  const std::uint64_t out = overflowing_sites(out_, bound.ideal);
  const std::uint64_t in = overflowing_sites(in_, bound.ideal);
  // A link between two sites could be the one hot spot of both.
  bound.hot_spots = neighbours_ ? std::max(out, in) : out + in;
  return bound;
}

bool LeafBound::too_many_for(LinkIndex link, double time) const {
  const auto overflows_at = [&](const Direction& direction) {
    const std::uint32_t site = direction.site_of_link[link];
    return site != no_id && overflows(direction, site, time);
  };
  return overflows_at(out_) || overflows_at(in_);
}

bool LeafBound::overflows(const Direction& direction, std::uint32_t site, double time) const {
  if (direction.messages[site] == 0) return false;
  std::uint64_t room = 0;
  for (const LinkIndex link : direction.links[site]) room += capacity(time, weight_[link]);
  return direction.messages[site] > room;
}

double LeafBound::time_needed(const Direction& direction, std::uint32_t site, double at_least) const {
  double time = at_least;
  while (overflows(direction, site, time)) time = next_time(time);
  return time;
}

double LeafBound::next_time(double time) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double weight : different_weights_) next = std::min(next, (capacity(time, weight) + 1) * weight);
  return next;
}

std::uint64_t LeafBound::overflowing_sites(const Direction& direction, double time) const {
  std::uint64_t sites = 0;
  for (std::uint32_t site = 0; site < nodes_.site_count(); ++site) {
    if (overflows(direction, site, time)) ++sites;
  }
  return sites;
}

JobBound bound_of(LeafBound& bound, const StepSequence& steps) {
  JobBound sum;
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    const StepBound step = bound.of(messages);
    sum.time += step.time;
    sum.hot_spots += step.hot_spots;
  }
  return sum;
}

}  // namespace ayatori
