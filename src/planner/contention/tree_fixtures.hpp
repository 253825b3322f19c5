#pragma once
/// \file
/// Trees for tests, made without the project's own generator of tables, so that nothing here knows
/// how that one numbers its paths. XGFT(h; m1 … mh; 1, w2 … wh) of Öhring et al., 1995.

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/contention/footprint.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori::test {

struct Tree {
  std::vector<std::uint32_t> down = {};  ///< m1 … mh: children of a router of level l + 1
  std::vector<std::uint32_t> up = {};    ///< w2 … wh: parents of a router of level l + 1
  std::uint64_t scramble = 0;            ///< not 0: every destination's paths are numbered in an order of its own
  std::uint32_t hosts = 0;               ///< 0: all that fit; the rest of the host ports stay empty
  /// Two levels: absent cables, leaf · roots + root; at least one root must have all.
  std::vector<std::uint32_t> missing = {};
  LinkRate rate = {4, LaneSpeed::ddr};
  /// Two levels: cables at a quarter of the rate, numbered likewise.
  std::vector<std::uint32_t> slow = {};

  [[nodiscard]] std::size_t levels() const { return down.size(); }
  /// m1 · … · ml: hosts below a router of level l.
  [[nodiscard]] std::uint32_t hosts_below(std::size_t level) const {
    return std::accumulate(down.begin(), down.begin() + static_cast<std::ptrdiff_t>(level), 1U, std::multiplies<>());
  }
  /// w2 · … · wl: routers of level l above a host; for the last level, the number of paths.
  [[nodiscard]] std::uint32_t above(std::size_t level) const {
    return std::accumulate(up.begin(), up.begin() + static_cast<std::ptrdiff_t>(level - 1), 1U, std::multiplies<>());
  }
  [[nodiscard]] std::uint32_t paths() const { return above(levels()); }
  [[nodiscard]] std::uint32_t host_count() const { return hosts == 0 ? hosts_below(levels()) : hosts; }
  [[nodiscard]] std::uint32_t subtrees(std::size_t level) const { return hosts_below(levels()) / hosts_below(level); }
  [[nodiscard]] bool has_cable(std::uint32_t leaf, std::uint32_t root) const {
    return std::find(missing.begin(), missing.end(), leaf * up[0] + root) == missing.end();
  }
};

struct Fabric {
  Network network;
  Routes routes;

  /// Endpoints of the hosts with these numbers, in network order; each `ranks` times.
  [[nodiscard]] std::vector<PortId> job(const std::vector<std::uint32_t>& hosts, std::uint32_t ranks = 1) const {
    std::vector<PortId> endpoints;
    for (const std::uint32_t host : hosts) endpoints.insert(endpoints.end(), ranks, network.endpoints()[host]);
    return endpoints;
  }
  [[nodiscard]] std::vector<PortId> contiguous(std::uint32_t size) const {
    const auto all = network.endpoints();
    return {all.begin(), all.begin() + size};
  }
};

/// `size` different numbers below `count`, sorted.
inline std::vector<std::uint32_t> random_subset(std::uint32_t count, std::uint32_t size, Random& random) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  random.shuffle(std::span(numbers));
  numbers.resize(size);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// The same with nothing known but in how many steps each link is used.
inline std::vector<Footprint> without_steps(std::vector<Footprint> footprints) {
  for (Footprint& footprint : footprints) {
    for (LinkUse& use : footprint.links) use.in_steps = 0;
  }
  return footprints;
}

class TreeMaker {
 public:
  explicit TreeMaker(const Tree& tree) : tree_(tree) {}

  Fabric make(int lmc) {
    add_routers();
    add_hosts();
    for (std::size_t level = 1; level < tree_.levels(); ++level) add_cables(level);
    Network network = builder_.build().value();
    LidMap lids = LidMap::assign(network, lmc).value();
    ForwardingTables tables(network.router_count(), lids.last());
    for (std::uint32_t host = 0; host < tree_.host_count(); ++host) {
      const LidRange range = lids.of(network.endpoints()[host]);
      const auto order = path_order(host);
      for (std::uint32_t bits = 0; bits < range.count(); ++bits) {
        // With fewer LIDs than paths, neighbours start at different paths.
        const std::uint32_t path = range.count() >= tree_.paths() ? bits : bits + host;
        fill(tables, host, static_cast<Lid>(range.base + bits), order[path % order.size()]);
      }
    }
    return {std::move(network), {std::move(lids), std::move(tables)}};
  }

 private:
  using Handle = NetworkBuilder::Handle;

  void add_routers() {
    routers_.resize(tree_.levels() + 1);
    for (std::size_t level = 1; level <= tree_.levels(); ++level) {
      const std::uint32_t count = tree_.subtrees(level) * tree_.above(level);
      const std::uint32_t ports = tree_.down[level - 1] + (level < tree_.levels() ? tree_.up[level - 1] : 0);
      for (std::uint32_t i = 0; i < count; ++i) {
        routers_[level].push_back(
            builder_.add_router(fmt::format("L{}-{}", level, i), ++guid_ << 8, static_cast<PortNumber>(ports)));
      }
    }
  }

  void add_hosts() {
    for (std::uint32_t host = 0; host < tree_.host_count(); ++host) {
      const std::string name = fmt::format("h{}", host);
      const Handle nic = builder_.add_nic(name, ++guid_ << 8, 1, name, 0);
      const auto port = static_cast<PortNumber>(host % tree_.down[0] + 1);
      builder_.connect(nic, 1, routers_[1][host / tree_.down[0]], port, tree_.rate).value();
    }
  }

  void add_cables(std::size_t level) {
    for (std::uint32_t subtree = 0; subtree < tree_.subtrees(level); ++subtree) {
      for (std::uint32_t u = 0; u < tree_.above(level); ++u) {
        for (std::uint32_t w = 0; w < tree_.up[level - 1]; ++w) add_cable(level, subtree, u, w);
      }
    }
  }

  void add_cable(std::size_t level, std::uint32_t subtree, std::uint32_t u, std::uint32_t w) {
    if (level == 1 && !tree_.has_cable(subtree, w)) return;
    const bool slow =
        level == 1 && std::find(tree_.slow.begin(), tree_.slow.end(), subtree * tree_.up[0] + w) != tree_.slow.end();
    const std::uint32_t parent = (subtree / tree_.down[level]) * tree_.above(level + 1) + u + w * tree_.above(level);
    const LinkRate rate = slow ? LinkRate{1, tree_.rate.speed} : tree_.rate;
    builder_
        .connect(routers_[level][subtree * tree_.above(level) + u],
                 static_cast<PortNumber>(tree_.down[level - 1] + w + 1), routers_[level + 1][parent],
                 static_cast<PortNumber>(subtree % tree_.down[level] + 1), rate)
        .value();
  }

  [[nodiscard]] std::vector<std::uint32_t> path_order(std::uint32_t host) const {
    std::vector<std::uint32_t> order(tree_.paths());
    std::iota(order.begin(), order.end(), 0U);
    if (tree_.scramble != 0) {
      Random random(tree_.scramble + host);
      random.shuffle(std::span(order));
    }
    return order;
  }

  void fill(ForwardingTables& tables, std::uint32_t host, Lid lid, std::uint32_t path) const {
    for (std::size_t level = 1; level <= tree_.levels(); ++level) {
      for (std::uint32_t i = 0; i < routers_[level].size(); ++i) {
        // The builder keeps the order in which nodes of one kind were added, so handles of routers are their ids.
        tables.set_out(routers_[level][i], lid, out_port(level, i, host, path));
      }
    }
  }

  [[nodiscard]] PortNumber out_port(std::size_t level, std::uint32_t router, std::uint32_t host,
                                    std::uint32_t path) const {
    const std::uint32_t subtree = router / tree_.above(level);
    if (host / tree_.hosts_below(level) == subtree) {
      return static_cast<PortNumber>(host / tree_.hosts_below(level - 1) % tree_.down[level - 1] + 1);
    }
    std::uint32_t digit = path / tree_.above(level) % tree_.up[level - 1];
    const std::uint32_t leaf = host / tree_.down[0];
    while (level == 1 && tree_.levels() == 2 && !(tree_.has_cable(subtree, digit) && tree_.has_cable(leaf, digit))) {
      digit = (digit + 1) % tree_.up[0];
    }
    return static_cast<PortNumber>(tree_.down[level - 1] + digit + 1);
  }

  const Tree& tree_;
  NetworkBuilder builder_;
  std::vector<std::vector<Handle>> routers_;  // by level
  Guid guid_ = 0;
};

inline Fabric make(const Tree& tree, int lmc) { return TreeMaker(tree).make(lmc); }

}  // namespace ayatori::test
