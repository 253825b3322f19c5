#include "conflict_bound.hpp"

#include <algorithm>

namespace ayatori {

ConflictBound::ConflictBound(const JobEndpoints& endpoints, const JobPaths& paths, const LinkWeights& weights,
                             std::span<const double> share_of_others)
    : share_of_others_(share_of_others.begin(), share_of_others.end()),
      endpoints_(endpoints),
      out_(paths.leaf_count()),
      in_(paths.leaf_count()) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
  std::vector<bool> leaves(paths.link_count(), false);
  std::vector<bool> enters(paths.link_count(), false);
  for (std::uint32_t endpoint = 0; endpoint < paths.endpoint_count(); ++endpoint) {
    for (std::uint32_t choice = 0; choice < paths.choice_count(endpoint); ++choice) {
      for (std::uint32_t leaf = 0; leaf < paths.leaf_count(); ++leaf) {
        const auto route = paths.route(leaf, endpoint, choice);
        if (route.empty()) continue;
        if (!leaves[route.front()]) out_[leaf].links.push_back(route.front());
        if (!enters[route.back()]) in_[endpoints.leaf(endpoint)].links.push_back(route.back());
        leaves[route.front()] = enters[route.back()] = true;
      }
    }
  }
  for (LinkIndex link = 0; link < leaves.size(); ++link)
    cuts_overlap_ = cuts_overlap_ || (leaves[link] && enters[link]);
  for (const double price : share_of_others_) {
    if (price > 0 && (least_price_ == 0 || price < least_price_)) least_price_ = price;
  }
}

double ConflictBound::of_step(std::span<const StepMessage> messages, double time) {
  for (auto* cuts : {&out_, &in_}) {
    for (Cut& cut : *cuts) cut.messages = 0;
  }
  for (const StepMessage& message : messages) {
    ++out_[message.leaf].messages;
    ++in_[endpoints_.leaf(message.endpoint)].messages;
  }
  double out = 0;
  double in = 0;
  for (const Cut& cut : out_) out += of_cut(cut, time);
  for (const Cut& cut : in_) in += of_cut(cut, time);
  return cuts_overlap_ ? std::max(out, in) : out + in;
}

/// A link that carries n messages in the step's time costs each of them at least p(l) / n: messages take the cheapest.
double ConflictBound::of_cut(const Cut& cut, double time) {
  if (cut.messages == 0) return 0;
  offers_.clear();
  for (const LinkIndex link : cut.links) {
    const std::uint32_t room = capacity(time, weight_[link]);
    if (room != 0) offers_.emplace_back(share_of_others_[link] / room, room);
  }
  std::sort(offers_.begin(), offers_.end());
  double price = 0;
  std::uint32_t left = cut.messages;
  for (const auto& [each, room] : offers_) {
    const std::uint32_t taken = std::min(left, room);
    price += each * taken;
    left -= taken;
  }
  return price;
}

}  // namespace ayatori
