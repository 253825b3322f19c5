#include "other_steps.hpp"

#include <algorithm>
#include <bit>

#include "bits.hpp"

namespace ayatori {

namespace {

constexpr std::size_t bits_of_a_word = 64;

}  // namespace

bool unite(std::vector<std::uint64_t>& united, std::span<const std::uint64_t> words) {
  std::uint64_t added = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    added |= words[i] & ~united[i];
    united[i] |= words[i];
  }
  return added != 0;
}

std::optional<OtherSteps> OtherSteps::of(const Network& network, const JointMessages& messages,
                                         std::span<const Footprint> others) {
  std::vector<bool> possible(network.port_count(), false);
  for (LinkIndex link = 0; link < messages.link_count(); ++link) possible[messages.port(link)] = true;
  std::vector<const Footprint*> met;
  for (const Footprint& other : others) {
    if (std::ranges::none_of(other.links, [&](const LinkUse& use) { return possible[use.link]; })) continue;
    if (met.size() == 2 || other.steps > max_listed_steps || !other.lists_steps()) return std::nullopt;
    met.push_back(&other);
  }
  if (met.empty()) return std::nullopt;
  return OtherSteps(network, messages, met);
}

OtherSteps::OtherSteps(const Network& network, const JointMessages& messages, std::span<const Footprint* const> others)
    : jobs_(others.size()) {
  for (std::size_t job = 0; job < jobs_; ++job) steps_[job] = others[job]->steps;
  const std::size_t pairs = jobs_ == 2 ? steps_[0] * steps_[1] : 0;
  words_ = 2 + (pairs + bits_of_a_word - 1) / bits_of_a_word;
  met_.assign(messages.link_count() * words_, 0);
  std::vector<LinkIndex> link_of_port(network.port_count(), no_id);
  for (LinkIndex link = 0; link < messages.link_count(); ++link) link_of_port[messages.port(link)] = link;
  for (std::size_t job = 0; job < jobs_; ++job) {
    std::uint64_t busy = 0;
    for (const LinkUse& use : others[job]->links) {
      busy |= use.in_steps;
      if (link_of_port[use.link] != no_id) met_[link_of_port[use.link] * words_ + job] = use.in_steps;
    }
    busy_[job] = static_cast<std::uint64_t>(std::popcount(busy));
  }
  note_pairs(network, others);
}

/// Which steps of the two others conflict, and on which of the links.
void OtherSteps::note_pairs(const Network& network, std::span<const Footprint* const> others) {
  for (std::size_t job = 0; job < 2; ++job) {
    alone_in_[job].assign(steps_[job], static_cast<double>(steps_[1 - job]));
  }
  if (jobs_ < 2) return;
  for (std::size_t link = 0; link * words_ < met_.size(); ++link) {
    std::uint64_t* met = met_.data() + link * words_;
    for_each_bit(met[0], [&](std::size_t a) {
      for_each_bit(met[1], [&](std::size_t b) {
        const std::size_t pair = a * steps_[1] + b;
        met[2 + pair / bits_of_a_word] |= std::uint64_t{1} << pair % bits_of_a_word;
      });
    });
  }
  std::vector<std::uint64_t> by_second(network.port_count(), 0);
  for (const LinkUse& use : others[1]->links) by_second[use.link] = use.in_steps;
  std::vector<std::uint64_t> meets(steps_[0], 0);
  for (const LinkUse& use : others[0]->links) {
    for_each_bit(use.in_steps, [&](std::size_t a) { meets[a] |= by_second[use.link]; });
  }
  for (std::size_t a = 0; a < meets.size(); ++a) {
    for_each_bit(meets[a], [&](std::size_t b) {
      alone_in_[0][a] -= 1;
      alone_in_[1][b] -= 1;
      pairs_that_meet_ += 1;
    });
  }
}

Delays OtherSteps::delays(std::span<const std::uint64_t> met) const {
  double all_three = 0;
  for (const std::uint64_t pairs : met.subspan(2)) all_three += std::popcount(pairs);
  Delays delays{all_three, all_three, all_three};
  double not_met = 1;
  for (std::size_t job = 0; job < 2; ++job) {
    for_each_bit(met[job], [&](std::size_t step) { delays[1 + job] += alone_in_[job][step]; });
    not_met *= static_cast<double>(steps_[job]) - std::popcount(met[job]);
  }
  delays[0] += static_cast<double>(steps_[0] * steps_[1]) - not_met;
  return delays;
}

double OtherSteps::mean_bandwidth(const Delays& all, std::size_t busy, std::size_t steps) const {
  const auto bandwidth = [](double alone, double delay) { return alone == 0 ? 1 : alone / (alone + delay); };
  double sum = bandwidth(static_cast<double>(busy), all[0] / static_cast<double>(steps_[0] * steps_[1]));
  for (std::size_t job = 0; job < jobs_; ++job) {
    const auto of_others = static_cast<double>(steps_[1 - job]);
    const double by_new_one = all[1 + job] / static_cast<double>(steps);
    sum += bandwidth(static_cast<double>(busy_[job]), (pairs_that_meet_ + by_new_one) / of_others);
  }
  return sum / static_cast<double>(jobs_ + 1);
}

}  // namespace ayatori
