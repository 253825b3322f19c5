#pragma once
/// \file
/// Random trees, and the same with switches that no host needs. Header only; tests include it.

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ayatori/network/levels.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori::test {

/// Adds switches without hosts to the blueprint of a tree with these levels.
class Additions {
 public:
  Additions(Blueprint& blueprint, const Levels& levels, Random& random)
      : blueprint_(blueprint), levels_(levels), random_(random) {
    for (DeviceId router = 0; router < blueprint.routers; ++router) {
      if (!levels.idle[router]) by_level_[levels.level[router]].push_back(router);
    }
  }

  void add() {
    for (std::uint64_t more = 1 + random_.below(4); more > 0; --more) {
      switch (random_.below(6)) {
        case 0:
          add_pod();
          break;
        case 1:
          copy_pod();
          break;
        case 2:
          add_chain();
          break;
        case 3:
          add_stray();
          break;
        case 4:
          add_bridge();
          break;
        default:
          blueprint_.routers += 1;  // cabled to nothing
      }
    }
  }

 private:
  DeviceId add_router() { return blueprint_.routers++; }
  void cable(DeviceId a, DeviceId b) { blueprint_.cables.emplace_back(a, b); }
  [[nodiscard]] const std::vector<DeviceId>& tops() { return by_level_[levels_.count - 1]; }
  [[nodiscard]] DeviceId any(const std::vector<DeviceId>& routers) { return routers[random_.below(routers.size())]; }

  /// A few switches below some of the tops, and a few below these.
  void add_pod() {
    std::vector<DeviceId> upper;
    for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) {
      upper.push_back(add_router());
      for (std::uint64_t cables = 1 + random_.below(4); cables > 0; --cables) cable(upper.back(), any(tops()));
    }
    for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) {
      const DeviceId leaf = add_router();
      for (const DeviceId above : upper) {
        for (std::uint64_t cables = random_.below(3); cables > 0; --cables) cable(leaf, above);
      }
      if (random_.below(3) == 0) cable(leaf, add_router());
    }
  }

  /// All that is below the tops and holds together with some leaf, once more, without hosts.
  void copy_pod() {
    const std::size_t old_cables = blueprint_.cables.size();
    std::map<DeviceId, DeviceId> copies = {{any(by_level_[0]), add_router()}};
    const auto is_below_tops = [&](DeviceId router) {
      return router < levels_.level.size() && !levels_.idle[router] && levels_.level[router] + 1 < levels_.count;
    };
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t i = 0; i < old_cables; ++i) {
        const auto [a, b] = blueprint_.cables[i];
        if (!is_below_tops(a) || !is_below_tops(b) || copies.contains(a) == copies.contains(b)) continue;
        copies[copies.contains(a) ? b : a] = add_router();
        grown = true;
      }
    }
    for (std::size_t i = 0; i < old_cables; ++i) {
      const auto [a, b] = blueprint_.cables[i];
      if (a >= levels_.level.size() || b >= levels_.level.size() || levels_.idle[a] || levels_.idle[b]) continue;
      const auto copy_of = [&](DeviceId router) { return copies.contains(router) ? copies.at(router) : router; };
      if (copies.contains(a) || copies.contains(b)) cable(copy_of(a), copy_of(b));
    }
  }

  void add_chain() {
    auto end = static_cast<DeviceId>(random_.below(levels_.level.size()));
    for (std::uint64_t length = 1 + random_.below(5); length > 0; --length) {
      const DeviceId next = add_router();
      for (std::uint64_t cables = 1 + random_.below(2); cables > 0; --cables) cable(end, next);
      end = next;
    }
  }

  /// A switch on tops, and in trees of two levels on a leaf as well.
  void add_stray() {
    const DeviceId stray = add_router();
    for (const DeviceId top : tops()) {
      if (random_.below(2) == 0) cable(stray, top);
    }
    if (levels_.count == 2 && random_.below(2) == 0) cable(stray, any(by_level_[0]));
  }

  /// A switch on two leaves of a pod of five leaves or more.
  void add_bridge() {
    if (levels_.count < 2) return;
    const DeviceId above = any(by_level_[1]);
    std::vector<DeviceId> leaves;
    for (const auto& [a, b] : blueprint_.cables) {
      const DeviceId other = a == above ? b : a;
      if ((a != above && b != above) || other >= levels_.level.size() || levels_.idle[other]) continue;
      if (levels_.level[other] == 0 && std::ranges::find(leaves, other) == leaves.end()) leaves.push_back(other);
    }
    if (leaves.size() < 5) return;
    const DeviceId bridge = add_router();
    random_.shuffle(std::span(leaves));
    for (const DeviceId leaf : {leaves[0], leaves[1]}) {
      for (std::uint64_t cables = 1 + random_.below(2); cables > 0; --cables) cable(bridge, leaf);
    }
  }

  Blueprint& blueprint_;
  const Levels& levels_;
  Random& random_;
  std::map<int, std::vector<DeviceId>> by_level_;
};

/// Hosts taken off some leaves, and cables pulled.
inline void damage(Blueprint& blueprint, Random& random) {
  if (random.below(3) == 0) {
    const DeviceId emptied = blueprint.hosts[random.below(blueprint.hosts.size())];
    std::erase(blueprint.hosts, emptied);
  }
  constexpr std::array shares = {0.0, 0.05, 0.1};
  pull_cables(blueprint, shares[random.below(shares.size())], random);
}

/// Of two to four levels, tapered or not, with parallel cables here and there.
inline std::string random_xgft(Random& random) {
  const std::size_t levels = 2 + random.below(5) / 2;
  const std::uint64_t most = levels == 2 ? 7 : levels == 3 ? 4 : 2;
  std::string children;
  std::string parents;
  std::string cables;
  for (std::size_t level = 0; level < levels; ++level) {
    const char* comma = level == 0 ? "" : ",";
    children += fmt::format("{}{}", comma, 2 + random.below(most));
    parents += fmt::format("{}{}", comma, level == 0 ? 1 : 1 + random.below(levels == 2 ? 5 : 3));
    cables += fmt::format("{}{}", comma, level == 0 ? 1 : 1 + random.below(2));
  }
  return fmt::format("xgft:m={};w={};p={}", children, parents, cables);
}

struct WithAndWithoutIdle {
  std::string source;
  Network without;
  Network with;   ///< the routers and hosts of `without` come first in each list
  Levels levels;  ///< of `without`
};

/// A regular tree, damaged now and then; nothing if too much is damaged for a tree of levels.
inline std::optional<WithAndWithoutIdle> with_and_without_idle(std::uint64_t seed) {
  constexpr std::array regular = {"fattree:K=4,levels=2",   "fattree:K=6,levels=2,nodes=30", "fattree:K=3,levels=3",
                                  "xgft:m=4,6;w=1,3;p=1,2", "xgft:m=3,3,3;w=1,2,2;p=1,2,1",  "fattree:K=2,levels=4",
                                  "xgft:m=4,4,4;w=1,4,4",   "xgft:m=2,2,3;w=1,2,2"};
  Random random(seed);
  const std::string source = seed % 2 == 0 ? random_xgft(random) : regular[seed / 2 % regular.size()];
  Blueprint blueprint = blueprint_of(open(source));
  damage(blueprint, random);
  Network without = blueprint.build();
  auto levels = rank_levels(without);
  if (!levels) return std::nullopt;
  Additions(blueprint, *levels, random).add();
  return WithAndWithoutIdle{source, std::move(without), blueprint.build(), std::move(*levels)};
}

}  // namespace ayatori::test
