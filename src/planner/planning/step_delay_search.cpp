#include "step_delay_search.hpp"

#include <algorithm>
#include <utility>

#include "rounding.hpp"

namespace ayatori {

namespace {

constexpr double share_a_link = -1;  ///< instead of a bandwidth, of choices by which two messages share a link

}  // namespace

StepDelaySearch::Outcome StepDelaySearch::improve(std::uint32_t first, std::span<std::uint32_t> choices,
                                                  const Delays& rest, std::uint64_t effort) {
  collect_paths(first, choices.size());
  rest_ = rest;
  const double before = bandwidth_of(choices);
  most_ = before;
  best_.clear();
  effort_left_ = effort;
  descend(root());
  std::ranges::copy(best_, choices.begin());
  return {before == share_a_link, most_ == share_a_link};
}

Delays StepDelaySearch::delays(std::uint32_t first, std::span<const std::uint32_t> choices) const {
  Words met(others_.word_count(), 0);
  for (std::uint32_t m = 0; m < choices.size(); ++m) {
    for (const LinkIndex link : messages_.route(first + m, choices[m])) unite(met, others_.met_on(link));
  }
  return others_.delays(met);
}

void StepDelaySearch::collect_paths(std::uint32_t first, std::size_t messages) {
  first_ = first;
  first_path_ = {0};
  met_.clear();
  for (std::uint32_t message = first; message < first + messages; ++message) {
    for (std::uint32_t path = 0; path < messages_.choice_count(message); ++path) {
      Words met(others_.word_count(), 0);
      for (const LinkIndex link : messages_.route(message, path)) unite(met, others_.met_on(link));
      met_.insert(met_.end(), met.begin(), met.end());
    }
    first_path_.push_back(first_path_.back() + messages_.choice_count(message));
  }
}

StepDelaySearch::Branch StepDelaySearch::root() const {
  const std::size_t messages = first_path_.size() - 1;
  Branch all{std::vector<ColourSet>(messages), std::vector<bool>(messages, false),
             std::vector<bool>(messages_.link_count(), false), Words(others_.word_count(), 0)};
  for (std::size_t message = 0; message < messages; ++message) {
    for (std::size_t path = 0; path < path_count(message); ++path) all.paths[message].set(path);
  }
  return all;
}

double StepDelaySearch::bandwidth(std::span<const std::uint64_t> met) const {
  Delays all = others_.delays(met);
  for (std::size_t job = 0; job < all.size(); ++job) all[job] += rest_[job];
  return others_.mean_bandwidth(all, busy_, messages_.step_count());
}

double StepDelaySearch::bandwidth_with(const Branch& branch, std::size_t message, std::size_t path) {
  united_ = branch.met;
  unite(united_, met_on(message, path));
  effort_left_ -= std::min<std::uint64_t>(effort_left_, united_.size());
  return bandwidth(united_);
}

double StepDelaySearch::bandwidth_of(std::span<const std::uint32_t> choices) const {
  Branch branch = root();
  for (std::size_t message = 0; message < choices.size(); ++message) {
    if (!is_free(branch, route(message, choices[message]))) return share_a_link;
    place(branch, message, choices[message]);
  }
  return bandwidth(branch.met);
}

bool StepDelaySearch::is_free(const Branch& branch, std::span<const LinkIndex> route) {
  return std::ranges::none_of(route, [&](LinkIndex link) { return branch.occupied[link]; });
}

void StepDelaySearch::place(Branch& branch, std::size_t message, std::size_t path) const {
  branch.placed[message] = true;
  unite(branch.met, met_on(message, path));
  for (const LinkIndex link : route(message, path)) branch.occupied[link] = true;
}

/// Strikes off paths of one message. False if none is left.
bool StepDelaySearch::narrow(Branch& branch, std::size_t message, bool& changed) {
  Words certain(others_.word_count(), ~std::uint64_t{0});
  std::size_t last = 0;
  ColourSet& paths = branch.paths[message];
  for (std::size_t path = 0; path < path_count(message); ++path) {
    if (!paths[path]) continue;
    if (!is_free(branch, route(message, path)) || bandwidth_with(branch, message, path) <= most_ + least_gain) {
      paths.reset(path);
      continue;
    }
    last = path;
    const auto met = met_on(message, path);
    for (std::size_t i = 0; i < certain.size(); ++i) certain[i] &= met[i];
  }
  if (paths.none()) return false;
  if (unite(branch.met, certain)) changed = true;
  if (paths.count() == 1) {
    place(branch, message, last);
    changed = true;
  }
  return true;
}

/// Until nothing more follows. False if nothing better than what is known can come of the branch.
bool StepDelaySearch::narrow(Branch& branch) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t message = 0; message < branch.paths.size(); ++message) {
      if (!branch.placed[message] && !narrow(branch, message, changed)) return false;
    }
  }
  return bandwidth(branch.met) > most_ + least_gain;
}

void StepDelaySearch::descend(Branch branch) {
  if (effort_left_ == 0 || !narrow(branch)) return;
  std::size_t next = branch.paths.size();
  for (std::size_t message = 0; message < branch.paths.size(); ++message) {
    if (branch.placed[message]) continue;
    if (next == branch.paths.size() || branch.paths[message].count() < branch.paths[next].count()) next = message;
  }
  if (next == branch.paths.size()) {
    keep(branch);
    return;
  }
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t path = 0; path < path_count(next); ++path) {
    if (branch.paths[next][path]) order.emplace_back(-bandwidth_with(branch, next, path), path);
  }
  std::ranges::sort(order);
  for (const auto& [loss, path] : order) {
    Branch with = branch;
    with.paths[next].reset().set(path);
    descend(std::move(with));
  }
}

void StepDelaySearch::keep(const Branch& branch) {
  most_ = bandwidth(branch.met);
  best_.assign(branch.paths.size(), 0);
  for (std::size_t message = 0; message < best_.size(); ++message) {
    while (!branch.paths[message][best_[message]]) ++best_[message];
  }
}

}  // namespace ayatori
