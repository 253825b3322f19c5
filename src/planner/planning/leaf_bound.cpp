#include "leaf_bound.hpp"

#include <algorithm>
#include <limits>

#include "ayatori/base/parallel.hpp"

namespace ayatori {

namespace {

/// With fewer messages, threads cost more than they save.
[[maybe_unused]] constexpr std::size_t worth_threads = std::size_t{1} << 16;

}  // namespace

/// Matches the messages of one cut with its links, by augmenting paths (Kuhn, 1955). Its arrays over links are those of
/// the bound: there are far more links than a cut has.
class LeafBound::Matching {
 public:
  Matching(const LeafBound& bound, const LeafCut& cut, double time) : bound_(bound), cut_(cut), time_(time) {}
  ~Matching() {
    for (const LinkIndex link : used_) bound_.carried_[link].clear();
  }
  Matching(const Matching&) = delete;
  Matching& operator=(const Matching&) = delete;

  bool carries_all() {
    for (std::uint32_t message = 0; message < cut_.others.size(); ++message) {
      ++bound_.search_;
      if (!place(message)) return false;
    }
    return true;
  }

 private:
  bool place(std::uint32_t message) {
    for (const LinkIndex link : cut_.links_with(cut_.others[message])) {
      if (bound_.seen_[link] == bound_.search_) continue;
      bound_.seen_[link] = bound_.search_;
      auto& carried = bound_.carried_[link];
      if (carried.size() < capacity(time_, bound_.weight_[link])) {
        if (carried.empty()) used_.push_back(link);
        carried.push_back(message);
        return true;
      }
      for (std::uint32_t& other : carried) {
        if (!place(other)) continue;
        other = message;
        return true;
      }
    }
    return false;
  }

  const LeafBound& bound_;
  const LeafCut& cut_;
  double time_;
  std::vector<LinkIndex> used_;
};

const LeafBound::Links& LeafBound::LeafCut::links_with(std::uint32_t other) const {
  const auto fewer = links_for.find(other);
  return fewer == links_for.end() ? links : fewer->second;
}

LeafBound::LeafBound(const Network& network, const JobEndpoints& endpoints, const JobPaths& paths,
                     const LinkWeights& weights, const SearchControl& control)
    : endpoints_(endpoints),
      ideal_(network, endpoints, weights),
      out_(endpoints.leaf_count()),
      in_(endpoints.leaf_count()),
      source_leaf_(paths.link_count(), no_id),
      destination_leaf_(paths.link_count(), no_id) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
  different_weights_ = weight_;
  std::sort(different_weights_.begin(), different_weights_.end());
  different_weights_.erase(std::unique(different_weights_.begin(), different_weights_.end()), different_weights_.end());
  carried_.resize(weight_.size());
  seen_.assign(weight_.size(), 0);
  collect_links(paths, control);
  collect_fewer_links(paths, control);
}

void LeafBound::collect_links(const JobPaths& paths, const SearchControl& control) {
  const auto add = [](std::uint32_t& owner, std::uint32_t leaf, LeafCut& cut, LinkIndex link) {
    if (owner != no_id) return;
    owner = leaf;
    cut.links.push_back(link);
  };
  for (std::uint32_t endpoint = 0; endpoint < endpoints_.endpoint_count() && !control.stopped(); ++endpoint) {
    const std::uint32_t to = endpoints_.leaf(endpoint);
    for (std::uint32_t choice = 0; choice < paths.choice_count(endpoint); ++choice) {
      for (std::uint32_t from = 0; from < endpoints_.leaf_count(); ++from) {
        const auto route = paths.route(from, endpoint, choice);
        if (route.empty()) continue;
        add(source_leaf_[route.front()], from, out_[from], route.front());
        add(destination_leaf_[route.back()], to, in_[to], route.back());
      }
    }
  }
  for (LeafCut& cut : out_) cut.fewest = cut.links.size();
  for (LeafCut& cut : in_) cut.fewest = cut.links.size();
}

void LeafBound::collect_fewer_links(const JobPaths& paths, const SearchControl& control) {
  for (std::uint32_t from = 0; from < endpoints_.leaf_count() && !control.stopped(); ++from) {
    for (std::uint32_t endpoint = 0; endpoint < endpoints_.endpoint_count();) {
      // Nodes of a leaf follow each other.
      const std::uint32_t to = endpoints_.leaf(endpoint);
      Links out;
      Links in;
      for (; endpoint < endpoints_.endpoint_count() && endpoints_.leaf(endpoint) == to; ++endpoint) {
        for (std::uint32_t choice = 0; choice < paths.choice_count(endpoint); ++choice) {
          const auto route = paths.route(from, endpoint, choice);
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

void LeafBound::add_fewer(LeafCut& cut, std::uint32_t other, Links links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  if (links.size() == cut.links.size()) return;
  cut.fewest = std::min(cut.fewest, links.size());
  cut.links_for.emplace(other, std::move(links));
}

void LeafBound::begin(std::span<const Message> messages) {
  for (LeafCut& cut : out_) cut.others.clear();
  for (LeafCut& cut : in_) cut.others.clear();
  for (const Message& m : messages) {
    if (!endpoints_.crosses_leaves(m)) continue;
    const std::uint32_t from = endpoints_.leaf(endpoints_.endpoint_of(m.from));
    const std::uint32_t to = endpoints_.leaf(endpoints_.endpoint_of(m.to));
    out_[from].others.push_back(to);
    in_[to].others.push_back(from);
  }
}

StepBound LeafBound::of(std::span<const Message> messages) {
  begin(messages);
  StepBound bound;
  bound.ideal = bound.time = ideal_.of(messages);
  for (const auto* cuts : {&out_, &in_}) {
    for (const LeafCut& cut : *cuts) {
      while (!carries(cut, bound.time)) bound.time = next_time(bound.time);
    }
  }
  if (bound.time > bound.ideal) bound.hot_spots = hot_spots_at(bound.ideal);
  return bound;
}

std::uint64_t LeafBound::hot_spots_at(double time) const {
  const auto fails = [&](const LeafCut& cut) { return !carries(cut, time); };
  const auto out = static_cast<std::uint64_t>(std::count_if(out_.begin(), out_.end(), fails));
  const auto in = static_cast<std::uint64_t>(std::count_if(in_.begin(), in_.end(), fails));
  // A link from one leaf to another could be the one hot spot of both.
  bool cuts_overlap = false;
  for (LinkIndex link = 0; link < weight_.size(); ++link) {
    cuts_overlap = cuts_overlap || (source_leaf_[link] != no_id && destination_leaf_[link] != no_id);
  }
  return cuts_overlap ? std::max(out, in) : out + in;
}

bool LeafBound::too_many_for(LinkIndex link, double time) const {
  const auto has_too_many = [&](const LeafCut& cut) { return cut.others.size() > room(cut.links, time); };
  return (source_leaf_[link] != no_id && has_too_many(out_[source_leaf_[link]])) ||
         (destination_leaf_[link] != no_id && has_too_many(in_[destination_leaf_[link]]));
}

std::uint64_t LeafBound::room(const Links& links, double time) const {
  std::uint64_t messages = 0;
  for (const LinkIndex link : links) messages += capacity(time, weight_[link]);
  return messages;
}

bool LeafBound::carries(const LeafCut& cut, double time) const {
  // Often there are so few messages that any links will do.
  if (cut.others.empty() || cut.links.empty()) return true;  // no links: they were not collected to the end
  if (cut.others.size() <= cut.fewest * capacity(time, different_weights_.back())) return true;
  if (cut.others.size() > room(cut.links, time)) return false;
  return cut.links_for.empty() || Matching(*this, cut, time).carries_all();
}

double LeafBound::next_time(double time) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double weight : different_weights_) next = std::min(next, (capacity(time, weight) + 1) * weight);
  return next;
}

JobBound bound_of(const LeafBound& bound, const StepSequence& steps, const SearchControl& control) {
  std::vector<StepBound> by_step(steps.step_count());
  const bool many = by_step.size() * steps.rank_count() >= worth_threads;
  parallel_for({.count = by_step.size(), .piece = 16, .worth_threads = many}, [&](Iterations& iterations) {
    LeafBound mine = bound;
    std::vector<Message> messages;
    for (const std::size_t s : iterations) {
      if (control.stopped()) break;
      steps.step(s, messages);
      by_step[s] = mine.of(messages);
    }
  });
  // Summed in order, so that the number of threads changes nothing.
  JobBound sum;
  sum.by_step = std::move(by_step);
  for (const StepBound& step : sum.by_step) {
    sum.time += step.time;
    sum.hot_spots += step.hot_spots;
  }
  return sum;
}

}  // namespace ayatori
