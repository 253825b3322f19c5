#include "ayatori/planning/source_ports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"
#include "disjoint_choices.hpp"

namespace ayatori {
namespace source_ports_test {

/// Whether some choice is disjoint, by trying all of them.
bool some_choice_is_disjoint(const std::vector<LinkSets>& messages) {
  std::vector<std::uint32_t> choice(messages.size(), 0);
  for (;;) {
    std::set<std::uint32_t> taken;
    bool disjoint = true;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      for (const std::uint32_t link : messages[i][choice[i]]) disjoint = taken.insert(link).second && disjoint;
    }
    if (disjoint) return true;
    std::size_t i = 0;
    while (i < choice.size() && ++choice[i] == messages[i].size()) choice[i++] = 0;
    if (i == choice.size()) return false;
  }
}

TEST(FindDisjointChoices, FindsOneExactlyWhereThereIsOne) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<LinkSets> messages(2 + random.below(6));
    for (LinkSets& sets : messages) {
      sets.resize(1 + random.below(4));
      for (auto& links : sets) {
        std::set<std::uint32_t> drawn;
        for (std::uint64_t i = random.below(4); i > 0; --i) drawn.insert(static_cast<std::uint32_t>(random.below(7)));
        links.assign(drawn.begin(), drawn.end());
      }
    }
    const DisjointChoices choices = find_disjoint_choices(messages, 1'000'000);
    const bool expected = some_choice_is_disjoint(messages);
    ASSERT_EQ(choices.disjoint, expected);
    ASSERT_EQ(choices.exhausted, !expected);
    found += expected;
    std::set<std::uint32_t> taken;
    bool disjoint = true;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      for (const std::uint32_t link : messages[i][choices.choice[i]]) disjoint = taken.insert(link).second && disjoint;
    }
    ASSERT_EQ(disjoint, expected);
  }
  EXPECT_GT(found, 50);
  EXPECT_LT(found, 350);
}

TEST(FindDisjointChoices, SaysNothingOfWhatItDidNotSee) {
  // Three messages on two links: no choice is disjoint, but one node of the search does not show that.
  const std::vector<LinkSets> messages(3, LinkSets{{1}, {2}});
  EXPECT_FALSE(find_disjoint_choices(messages, 1).exhausted);
  EXPECT_TRUE(find_disjoint_choices(messages, 1000).exhausted);
  EXPECT_TRUE(find_disjoint_choices({}, 10).disjoint);
}

TEST(FindDisjointChoices, GroupsThatCannotMeetAreLookedAtApart) {
  // Six pairs of messages that find room in six ways each, and five messages on four links, which do not.
  std::vector<LinkSets> messages;
  for (std::uint32_t pair = 0; pair < 6; ++pair) {
    for (int i = 0; i < 2; ++i) messages.push_back({{3 * pair}, {3 * pair + 1}, {3 * pair + 2}});
  }
  messages.insert(messages.end(), 5, LinkSets{{100}, {101}, {102}, {103}});
  EXPECT_TRUE(find_disjoint_choices(messages, 1000).exhausted);
  messages.pop_back();
  EXPECT_TRUE(find_disjoint_choices(messages, 1000).disjoint);
}

TEST(FindDisjointChoices, LinksOfOneMessageAloneDoNotMultiplyItsSets) {
  // Seven messages on six links, each with one more link of its own in each of ten sets.
  std::vector<LinkSets> messages(7);
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    for (std::uint32_t set = 0; set < 60; ++set) messages[i].push_back({set % 6, 100 * (i + 1) + set});
  }
  EXPECT_TRUE(find_disjoint_choices(messages, 10'000).exhausted);
}

struct Fabric {
  Network network;
  std::vector<PortId> endpoints;

  Fabric(const char* source, std::size_t size, Random& random) : network(open_source(source).value()) {
    endpoints.assign(network.endpoints().begin(), network.endpoints().end());
    for (std::size_t i = 0; i < size; ++i) std::swap(endpoints[i], endpoints[i + random.below(endpoints.size() - i)]);
    endpoints.resize(size);
    std::ranges::sort(endpoints);
  }

  [[nodiscard]] HashedPaths paths(const char* hash, std::uint32_t first_seed = 1) const {
    std::vector<IpAddress> addresses(endpoints.size());
    for (std::size_t i = 0; i < addresses.size(); ++i)
      addresses[i] = 0x0A000001U + 7 * static_cast<std::uint32_t>(endpoints[i]);
    std::vector<std::uint32_t> seeds(network.router_count());
    std::iota(seeds.begin(), seeds.end(), first_seed);
    return HashedPaths::of(network, endpoints, addresses, {cable_choice_of(hash).value(), seeds}).value();
  }
};

/// The different paths of a pair, by all ports.
LinkSets all_paths(const HashedPaths& paths, const Message& message) {
  std::set<std::vector<std::uint32_t>> found;
  std::vector<PortId> links;
  for (std::uint32_t i = 0; i < source_port_count; ++i) {
    paths.path(message.from, message.to, static_cast<std::uint16_t>(first_source_port + i), links);
    found.insert(links);
  }
  return {found.begin(), found.end()};
}

struct Case {
  const char* source;
  std::size_t size;
};

class PlanSourcePorts : public testing::TestWithParam<std::tuple<Case, const char*>> {};

TEST_P(PlanSourcePorts, SharesALinkOnlyWhereEveryChoiceOfPortsDoes) {
  const auto& [test, hash] = GetParam();
  for (std::uint64_t seed = 1; seed <= test::tries(1U, 2U); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric(test.source, test.size, random);
    const HashedPaths paths = fabric.paths(hash);
    const auto steps = shift_all_to_all(static_cast<Rank>(test.size));
    const auto planned = plan_source_ports(paths, *steps);
    ASSERT_TRUE(planned);
    std::uint64_t free = 0;
    std::uint64_t shared = 0;
    std::vector<Message> messages;
    for (std::size_t step = 0; step < steps->step_count(); ++step) {
      steps->step(step, messages);
      std::vector<LinkSets> candidates;
      for (const Message& message : messages) {
        if (message.from != message.to) candidates.push_back(all_paths(paths, message));
      }
      const bool crosses = std::ranges::any_of(candidates, [](const LinkSets& sets) { return !sets[0].empty(); });
      const bool is_possible = some_choice_is_disjoint(candidates);
      free += crosses && is_possible;
      shared += !is_possible;
    }
    EXPECT_EQ(planned->contention.free_steps, free);
    EXPECT_EQ(planned->proven_steps, shared);
    EXPECT_EQ(planned->undecided_steps, 0);
    EXPECT_EQ(planned->contention.steps, free + shared);
  }
}

INSTANTIATE_TEST_SUITE_P(SmallClos, PlanSourcePorts,
                         testing::Combine(testing::Values(Case{"fattree:K=3,levels=2", 7},
                                                          Case{"fattree:K=2,levels=3", 8},
                                                          Case{"fattree:K=4,levels=2,nodes=12", 6}),
                                          testing::Values("xor", "crc16", "crc32")));

TEST(PlanSourcePortsOf, OneHostHasNothingToPlan) {
  Random random(1);
  const Fabric fabric("fattree:K=3,levels=2", 1, random);
  const auto planned = plan_source_ports(fabric.paths("crc32"), *shift_all_to_all(1));
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->contention.steps, 0);
  EXPECT_EQ(planned->contention.relative_bandwidth, 1);
}

TEST(HashedPathsOf, RefusesWhatDoesNotFit) {
  Random random(1);
  const Fabric fabric("fattree:K=3,levels=2", 2, random);
  const auto choice = cable_choice_of("xor").value();
  const std::vector<std::uint32_t> seeds(fabric.network.router_count());
  EXPECT_EQ(HashedPaths::of(fabric.network, fabric.endpoints, {1, 1}, {choice, seeds}).error().message,
            "two ports have one address");
  EXPECT_EQ(HashedPaths::of(fabric.network, fabric.endpoints, {1}, {choice, seeds}).error().message,
            "1 addresses for 2 ports");
  EXPECT_FALSE(HashedPaths::of(fabric.network, fabric.endpoints, {1, 2}, {choice, {}}).has_value());
}

TEST(HashedPathsOf, CountsShortestPaths) {
  Random random(1);
  const Fabric fabric("fattree:K=3,levels=3", 27, random);
  const HashedPaths paths = fabric.paths("crc32");
  std::set<std::uint64_t> counts;
  for (std::uint32_t to = 1; to < 27; ++to) counts.insert(paths.path_count(0, to));
  EXPECT_EQ(*counts.rbegin(), 9);
  for (std::uint32_t to = 1; to < 27; to += 5) {
    EXPECT_LE(all_paths(paths, {.from = 0, .to = to, .bytes = 1}).size(), paths.path_count(0, to));
  }
}

}  // namespace source_ports_test
}  // namespace ayatori
