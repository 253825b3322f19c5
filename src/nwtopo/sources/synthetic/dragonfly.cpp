#include <fmt/core.h>

#include <array>

#include "ayatori/network/builder.hpp"
#include "ayatori/synthetic/synthetic.hpp"
#include "formula.hpp"

namespace ayatori {

namespace {

using Handle = NetworkBuilder::Handle;

/// The consecutive arrangement of the cables between groups that have `links` global ports each.
class GlobalLinks {
 public:
  GlobalLinks(std::uint64_t groups, std::uint64_t links) : groups_(groups), links_(links) {}

  /// Cables between every two groups.
  [[nodiscard]] std::uint64_t rounds() const { return groups_ > 1 ? links_ / (groups_ - 1) : 0; }

  /// The global port of a group, numbered within the group, whose cable leads to another group in a round.
  [[nodiscard]] std::uint64_t port(std::uint64_t from, std::uint64_t to, std::uint64_t round) const {
    return round * (groups_ - 1) + (to < from ? to : to - 1);
  }

  /// Calls connect(group, its global port, lower group, its global port) for every cable until one fails.
  template <typename Connect>
  [[nodiscard]] Result<> cable(Connect connect) const {
    for (std::uint64_t from = 0; from < groups_; ++from) {
      for (std::uint64_t to = 0; to < from; ++to) {
        for (std::uint64_t round = 0; round < rounds(); ++round) {
          if (auto ok = connect(from, port(from, to, round), to, port(to, from, round)); !ok) return ok;
        }
      }
    }
    return {};
  }

 private:
  std::uint64_t groups_;
  std::uint64_t links_;
};

/// `count` hosts on the first ports of a router; `first` is the number of the first among all hosts.
Result<> add_hosts(NetworkBuilder& builder, Handle router, std::string_view place, std::uint64_t first,
                   std::uint64_t count, LinkRate rate) {
  for (std::uint64_t host = 0; host < count; ++host) {
    const auto nic = add_host_nic(builder, fmt::format("N{}-{}", place, host), first + host, 1, 0);
    if (auto ok = builder.connect(nic, 1, router, static_cast<PortNumber>(1 + host), rate); !ok) return ok;
  }
  return {};
}

Result<> check_ports(const Formula& formula, std::string_view router, std::uint64_t ports) {
  if (ports <= max_ports) return {};
  return formula.wrong(fmt::format("a {} would need {} ports; the maximum is {}", router, ports, max_ports));
}

/// The number of groups: by default the most that can be fully connected.
Result<std::uint64_t> group_count(const Formula& formula, std::uint64_t links) {
  const std::uint64_t most = links + 1;
  return formula.number("g", most, 1, most);
}

struct Dragonfly {
  std::uint64_t groups = 0;
  std::uint64_t routers = 0;  ///< of a group
  std::uint64_t hosts = 0;    ///< of a router
  std::uint64_t links = 0;    ///< global ones of a router
  LinkRate rate;

  [[nodiscard]] Handle router(std::uint64_t group, std::uint64_t index) const {
    return static_cast<Handle>(group * routers + index);
  }
  [[nodiscard]] std::uint64_t ports() const { return hosts + routers - 1 + links; }
  [[nodiscard]] Result<> check(const Formula& formula) const;
  [[nodiscard]] Result<> cable_group(NetworkBuilder& builder, std::uint64_t group) const;
  [[nodiscard]] Result<> cable_groups(NetworkBuilder& builder) const;
  [[nodiscard]] Result<Network> build() const;
};

Result<> Dragonfly::check(const Formula& formula) const {
  if (auto checked = check_ports(formula, "router", ports()); !checked) return checked;
  const std::uint64_t total = saturating_product(groups, routers);
  Size size;
  size.add(total, ports());
  size.add(saturating_product(total, hosts), 1);
  return size.check(formula);
}

Result<> Dragonfly::cable_group(NetworkBuilder& builder, std::uint64_t group) const {
  for (std::uint64_t high = 1; high < routers; ++high) {
    for (std::uint64_t low = 0; low < high; ++low) {
      // A router has no port towards itself: the ports of routers above it have numbers one less.
      auto ok = builder.connect(router(group, high), static_cast<PortNumber>(hosts + 1 + low), router(group, low),
                                static_cast<PortNumber>(hosts + high), rate);
      if (!ok) return ok;
    }
  }
  return {};
}

Result<> Dragonfly::cable_groups(NetworkBuilder& builder) const {
  const auto end = [&](std::uint64_t group, std::uint64_t port) { return router(group, port / links); };
  const auto number = [&](std::uint64_t port) { return static_cast<PortNumber>(hosts + routers + port % links); };
  return GlobalLinks(groups, routers * links).cable([&](auto group, auto port, auto lower, auto lower_port) {
    return builder.connect(end(group, port), number(port), end(lower, lower_port), number(lower_port), rate);
  });
}

Result<Network> Dragonfly::build() const {
  NetworkBuilder builder;
  for (std::uint64_t i = 0; i < groups * routers; ++i) {
    builder.add_router(fmt::format("R{}-{}", i / routers, i % routers), router_guid(i),
                       static_cast<PortNumber>(ports()));
  }
  for (std::uint64_t i = 0; i < groups * routers; ++i) {
    const std::string place = fmt::format("{}-{}", i / routers, i % routers);
    auto ok = add_hosts(builder, static_cast<Handle>(i), place, i * hosts, hosts, rate);
    if (!ok) return Failure(ok.error());
  }
  for (std::uint64_t group = 0; group < groups; ++group) {
    if (auto ok = cable_group(builder, group); !ok) return Failure(ok.error());
  }
  if (auto ok = cable_groups(builder); !ok) return Failure(ok.error());
  return builder.build();
}

struct DragonflyPlus {
  std::uint64_t groups = 0;
  std::uint64_t leaves = 0;  ///< of a group
  std::uint64_t spines = 0;  ///< of a group
  std::uint64_t hosts = 0;   ///< of a leaf
  std::uint64_t links = 0;   ///< global ones of a spine
  LinkRate rate;

  /// Leaves of all groups come first.
  [[nodiscard]] Handle leaf(std::uint64_t group, std::uint64_t index) const {
    return static_cast<Handle>(group * leaves + index);
  }
  [[nodiscard]] Handle spine(std::uint64_t group, std::uint64_t index) const {
    return static_cast<Handle>(groups * leaves + group * spines + index);
  }
  [[nodiscard]] Result<> check(const Formula& formula) const;
  void add_routers(NetworkBuilder& builder) const;
  [[nodiscard]] Result<> cable_leaf(NetworkBuilder& builder, std::uint64_t group, std::uint64_t index) const;
  [[nodiscard]] Result<> cable_groups(NetworkBuilder& builder) const;
  [[nodiscard]] Result<Network> build() const;
};

Result<> DragonflyPlus::check(const Formula& formula) const {
  if (auto checked = check_ports(formula, "leaf", hosts + spines); !checked) return checked;
  if (auto checked = check_ports(formula, "spine", leaves + links); !checked) return checked;
  const std::uint64_t total_leaves = saturating_product(groups, leaves);
  Size size;
  size.add(total_leaves, hosts + spines);
  size.add(saturating_product(groups, spines), leaves + links);
  size.add(saturating_product(total_leaves, hosts), 1);
  return size.check(formula);
}

void DragonflyPlus::add_routers(NetworkBuilder& builder) const {
  for (std::uint64_t i = 0; i < groups * leaves; ++i) {
    builder.add_router(fmt::format("LS{}-{}", i / leaves, i % leaves), router_guid(builder.device_count()),
                       static_cast<PortNumber>(hosts + spines));
  }
  for (std::uint64_t i = 0; i < groups * spines; ++i) {
    builder.add_router(fmt::format("SS{}-{}", i / spines, i % spines), router_guid(builder.device_count()),
                       static_cast<PortNumber>(leaves + links));
  }
}

Result<> DragonflyPlus::cable_leaf(NetworkBuilder& builder, std::uint64_t group, std::uint64_t index) const {
  const Handle here = leaf(group, index);
  if (auto ok = add_hosts(builder, here, fmt::format("{}-{}", group, index), here * hosts, hosts, rate); !ok) return ok;
  for (std::uint64_t i = 0; i < spines; ++i) {
    auto ok = builder.connect(here, static_cast<PortNumber>(hosts + 1 + i), spine(group, i),
                              static_cast<PortNumber>(1 + index), rate);
    if (!ok) return ok;
  }
  return {};
}

Result<> DragonflyPlus::cable_groups(NetworkBuilder& builder) const {
  const auto end = [&](std::uint64_t group, std::uint64_t port) { return spine(group, port / links); };
  const auto number = [&](std::uint64_t port) { return static_cast<PortNumber>(leaves + 1 + port % links); };
  return GlobalLinks(groups, spines * links).cable([&](auto group, auto port, auto lower, auto lower_port) {
    return builder.connect(end(group, port), number(port), end(lower, lower_port), number(lower_port), rate);
  });
}

Result<Network> DragonflyPlus::build() const {
  NetworkBuilder builder;
  add_routers(builder);
  for (std::uint64_t group = 0; group < groups; ++group) {
    for (std::uint64_t index = 0; index < leaves; ++index) {
      if (auto ok = cable_leaf(builder, group, index); !ok) return Failure(ok.error());
    }
  }
  if (auto ok = cable_groups(builder); !ok) return Failure(ok.error());
  return builder.build();
}

/// Checks that the formula has keys only, among them `h`, which both kinds require.
Result<std::uint64_t> parse_links(const Formula& formula) {
  if (!formula.shape().empty()) {
    return formula.wrong(fmt::format("expected key=value instead of '{}'", formula.shape()));
  }
  if (!formula.has("h")) return formula.wrong("the key 'h' is missing: cables to other groups, of each router");
  return formula.number("h", 0, 1, max_ports);
}

}  // namespace

Result<Network> open_dragonfly(std::string_view rest) {
  constexpr std::array<std::string_view, 5> keys = {"g", "a", "p", "h", "rate"};
  const auto formula = Formula::parse("dragonfly", "dragonfly:g=9,a=4,p=2,h=2", rest, keys);
  if (!formula) return Failure(formula.error());
  const auto links = parse_links(*formula);
  if (!links) return Failure(links.error());
  const auto hosts = formula->number("p", *links, 0, max_ports);
  if (!hosts) return Failure(hosts.error());
  const auto routers = formula->number("a", 2 * *links, 1, max_ports);
  if (!routers) return Failure(routers.error());
  const auto groups = group_count(*formula, *routers * *links);
  if (!groups) return Failure(groups.error());
  const auto rate = formula->rate();
  if (!rate) return Failure(rate.error());
  const Dragonfly dragonfly{*groups, *routers, *hosts, *links, *rate};
  if (auto checked = dragonfly.check(*formula); !checked) return Failure(checked.error());
  return dragonfly.build();
}

Result<Network> open_dragonfly_plus(std::string_view rest) {
  constexpr std::array<std::string_view, 6> keys = {"g", "l", "s", "p", "h", "rate"};
  const auto formula = Formula::parse("dragonfly+", "dragonfly+:g=5,l=2,s=2,p=2,h=2", rest, keys);
  if (!formula) return Failure(formula.error());
  const auto links = parse_links(*formula);
  if (!links) return Failure(links.error());
  const auto leaves = formula->number("l", *links, 1, max_ports);
  if (!leaves) return Failure(leaves.error());
  const auto spines = formula->number("s", *links, 1, max_ports);
  if (!spines) return Failure(spines.error());
  const auto hosts = formula->number("p", *links, 0, max_ports);
  if (!hosts) return Failure(hosts.error());
  const auto groups = group_count(*formula, *spines * *links);
  if (!groups) return Failure(groups.error());
  const auto rate = formula->rate();
  if (!rate) return Failure(rate.error());
  const DragonflyPlus dragonfly{*groups, *leaves, *spines, *hosts, *links, *rate};
  if (auto checked = dragonfly.check(*formula); !checked) return Failure(checked.error());
  return dragonfly.build();
}

}  // namespace ayatori
