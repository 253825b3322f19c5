#include "leaf_bound.hpp"

#include <algorithm>
#include <limits>

namespace ayatori {

/// Matches the messages of one way with its links, by augmenting paths (Kuhn, 1955).
class LeafBound::Matching {
 public:
  Matching(const LeafBound& bound, const Way& way, double time)
      : bound_(bound), way_(way), time_(time), riders_(bound.weight_.size()), seen_(bound.weight_.size(), 0) {}

  bool carries_all() {
    for (std::uint32_t message = 0; message < way_.others.size(); ++message) {
      ++search_;
      if (!place(message)) return false;
    }
    return true;
  }

 private:
  bool place(std::uint32_t message) {
    for (const LinkIndex link : way_.links_with(way_.others[message])) {
      if (seen_[link] == search_) continue;
      seen_[link] = search_;
      auto& riders = riders_[link];
      if (riders.size() < capacity(time_, bound_.weight_[link])) {
        riders.push_back(message);
        return true;
      }
      for (std::uint32_t& rider : riders) {
        if (!place(rider)) continue;
        rider = message;
        return true;
      }
    }
    return false;
  }

  const LeafBound& bound_;
  const Way& way_;
  double time_;
  std::vector<std::vector<std::uint32_t>> riders_;  // by link
  std::vector<std::uint32_t> seen_;                 // by link: number of the search
  std::uint32_t search_ = 0;
};

const LeafBound::Links& LeafBound::Way::links_with(std::uint32_t other) const {
  const auto fewer = links_for.find(other);
  return fewer == links_for.end() ? links : fewer->second;
}

LeafBound::LeafBound(const Network& network, const JobEndpoints& nodes, const JobPaths& paths,
                     const LinkWeights& weights)
    : nodes_(nodes),
      ideal_(network, nodes, weights),
      out_(nodes.site_count()),
      in_(nodes.site_count()),
      leaves_site_(paths.link_count(), no_id),
      enters_site_(paths.link_count(), no_id) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
  different_weights_ = weight_;
  std::sort(different_weights_.begin(), different_weights_.end());
  different_weights_.erase(std::unique(different_weights_.begin(), different_weights_.end()), different_weights_.end());
  collect_links(paths);
  collect_fewer_links(paths);
}

void LeafBound::collect_links(const JobPaths& paths) {
  const auto add = [](std::uint32_t& owner, std::uint32_t site, Way& way, LinkIndex link) {
    if (owner != no_id) return;
    owner = site;
    way.links.push_back(link);
  };
  for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) {
    const std::uint32_t to = nodes_.site(node);
    for (std::uint32_t choice = 0; choice < paths.choice_count(node); ++choice) {
      for (std::uint32_t from = 0; from < nodes_.site_count(); ++from) {
        const auto route = paths.route(from, node, choice);
        if (route.empty()) continue;
        add(leaves_site_[route.front()], from, out_[from], route.front());
        add(enters_site_[route.back()], to, in_[to], route.back());
      }
    }
  }
  for (Way& way : out_) way.fewest = way.links.size();
  for (Way& way : in_) way.fewest = way.links.size();
}

void LeafBound::collect_fewer_links(const JobPaths& paths) {
  for (std::uint32_t from = 0; from < nodes_.site_count(); ++from) {
    for (std::uint32_t node = 0; node < nodes_.node_count();) {
      // Nodes of a site follow each other.
      const std::uint32_t to = nodes_.site(node);
      Links out;
      Links in;
      for (; node < nodes_.node_count() && nodes_.site(node) == to; ++node) {
        for (std::uint32_t choice = 0; choice < paths.choice_count(node); ++choice) {
          const auto route = paths.route(from, node, choice);
          if (route.empty()) continue;
          out.push_back(route.front());
          in.push_back(route.back());
        }
      }
      if (out.empty()) continue;
      add_fewer(out_[from], to, std::move(out));
      add_fewer(in_[to], from, std::move(in));
    }
  }
}

void LeafBound::add_fewer(Way& way, std::uint32_t other, Links links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  if (links.size() == way.links.size()) return;
  way.fewest = std::min(way.fewest, links.size());
  way.links_for.emplace(other, std::move(links));
}

StepBound LeafBound::of(std::span<const Message> messages) {
  for (Way& way : out_) way.others.clear();
  for (Way& way : in_) way.others.clear();
  for (const Message& m : messages) {
    if (!nodes_.leaves_site(m)) continue;
    const std::uint32_t from = nodes_.site(nodes_.node_of(m.from));
    const std::uint32_t to = nodes_.site(nodes_.node_of(m.to));
    out_[from].others.push_back(to);
    in_[to].others.push_back(from);
  }
  StepBound bound;
  bound.ideal = bound.time = ideal_.of(messages);
  for (const auto* ways : {&out_, &in_}) {
    for (const Way& way : *ways) {
      while (!carries(way, bound.time)) bound.time = next_time(bound.time);
    }
  }
  if (bound.time > bound.ideal) bound.hot_spots = hot_spots_at(bound.ideal);
  return bound;
}

std::uint64_t LeafBound::hot_spots_at(double time) const {
  const auto fails = [&](const Way& way) { return !carries(way, time); };
  const auto out = static_cast<std::uint64_t>(std::count_if(out_.begin(), out_.end(), fails));
  const auto in = static_cast<std::uint64_t>(std::count_if(in_.begin(), in_.end(), fails));
  // A link from one site to another could be the one hot spot of both.
  bool ways_overlap = false;
  for (LinkIndex link = 0; link < weight_.size(); ++link) {
    ways_overlap = ways_overlap || (leaves_site_[link] != no_id && enters_site_[link] != no_id);
  }
  return ways_overlap ? std::max(out, in) : out + in;
}

bool LeafBound::too_many_for(LinkIndex link, double time) const {
  const auto has_too_many = [&](const Way& way) { return way.others.size() > room(way.links, time); };
  return (leaves_site_[link] != no_id && has_too_many(out_[leaves_site_[link]])) ||
         (enters_site_[link] != no_id && has_too_many(in_[enters_site_[link]]));
}

std::uint64_t LeafBound::room(const Links& links, double time) const {
  std::uint64_t messages = 0;
  for (const LinkIndex link : links) messages += capacity(time, weight_[link]);
  return messages;
}

bool LeafBound::carries(const Way& way, double time) const {
  // Often there are so few messages that any links will do.
  if (way.others.empty()) return true;
  if (way.others.size() <= way.fewest * capacity(time, different_weights_.back())) return true;
  if (way.others.size() > room(way.links, time)) return false;
  return way.links_for.empty() || Matching(*this, way, time).carries_all();
}

double LeafBound::next_time(double time) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double weight : different_weights_) next = std::min(next, (capacity(time, weight) + 1) * weight);
  return next;
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
