#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "ayatori/network/builder.hpp"
#include "ayatori/synthetic/synthetic.hpp"
#include "formula.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t highest = 8;

/// XGFT(h; m1 … mh; w1 … wh) with p_i cables a pair. Level 0 are hosts, levels 1 … h routers.
///
/// A node of level i is a pair (subtree, top): which of the m_{i+1} · … · m_h subtrees of height i it is a top of,
/// and which of that subtree's w_1 · … · w_i tops. Its parents are, for 0 <= b < w_{i+1},
///
///     (subtree / m_{i+1},  top · w_{i+1} + b)
///
/// It is their child number subtree mod m_{i+1}, which gives the port there; b gives the port here.
class Tree {
 public:
  Tree(std::vector<std::uint64_t> m, std::vector<std::uint64_t> w, std::vector<std::uint64_t> p, std::uint64_t hosts)
      : children_(std::move(m)), parents_(std::move(w)), cables_(std::move(p)), hosts_(hosts) {}

  [[nodiscard]] Result<> check(const Formula& formula) const;
  [[nodiscard]] Result<Network> build(LinkRate rate);

 private:
  [[nodiscard]] std::size_t height() const { return children_.size(); }
  [[nodiscard]] std::uint64_t subtrees(std::size_t level) const;
  [[nodiscard]] std::uint64_t tops(std::size_t level) const;
  [[nodiscard]] std::uint64_t ports_down(std::size_t level) const { return children_[level - 1] * cables_[level - 1]; }
  [[nodiscard]] std::uint64_t ports_up(std::size_t level) const {
    return level == height() ? 0 : parents_[level] * cables_[level];
  }
  [[nodiscard]] std::string router_name(std::size_t level, std::uint64_t index) const;
  [[nodiscard]] NetworkBuilder::Handle router(std::size_t level, std::uint64_t subtree, std::uint64_t top) const {
    return static_cast<NetworkBuilder::Handle>(first_router_[level] + subtree * tops(level) + top);
  }

  void add_routers(NetworkBuilder& builder);
  [[nodiscard]] Result<> add_hosts(NetworkBuilder& builder, LinkRate rate) const;
  [[nodiscard]] Result<> cable_up(NetworkBuilder& builder, std::size_t level, LinkRate rate) const;
  [[nodiscard]] Result<> cable_to_parent(NetworkBuilder& builder, std::size_t level, std::uint64_t subtree,
                                         std::uint64_t top, std::uint64_t parent, LinkRate rate) const;

  std::vector<std::uint64_t> children_;  // m_i at [i - 1]
  std::vector<std::uint64_t> parents_;   // w_i at [i - 1]
  std::vector<std::uint64_t> cables_;    // p_i at [i - 1]
  std::uint64_t hosts_;
  std::vector<std::uint64_t> first_router_;  // by level
};

/// Those that have a host below them.
std::uint64_t Tree::subtrees(std::size_t level) const {
  std::uint64_t hosts_below = 1;
  for (std::size_t i = 0; i < level; ++i) hosts_below = saturating_product(hosts_below, children_[i]);
  return hosts_ / hosts_below + (hosts_ % hosts_below != 0 ? 1 : 0);
}

std::uint64_t Tree::tops(std::size_t level) const {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < level; ++i) count = saturating_product(count, parents_[i]);
  return count;
}

Result<> Tree::check(const Formula& formula) const {
  Size size;
  if (cables_[0] > max_ports) {
    return formula.wrong(fmt::format("a NIC would need {} ports; the maximum is {}", cables_[0], max_ports));
  }
  size.add(saturating_product(hosts_, parents_[0]), cables_[0]);
  for (std::size_t level = 1; level <= height(); ++level) {
    const std::uint64_t ports = ports_down(level) + ports_up(level);
    if (ports > max_ports) {
      return formula.wrong(
          fmt::format("a router of level {} would need {} ports; the maximum is {}", level, ports, max_ports));
    }
    size.add(saturating_product(subtrees(level), tops(level)), ports);
  }
  return size.check(formula);
}

std::string Tree::router_name(std::size_t level, std::uint64_t index) const {
  if (level == 1) return fmt::format("LS{}", index);
  if (level == height()) return fmt::format("RS{}", index);
  if (height() == 3) return fmt::format("MS{}", index);
  return fmt::format("MS{}-{}", level, index);
}

void Tree::add_routers(NetworkBuilder& builder) {
  first_router_.assign(height() + 1, 0);
  for (std::size_t level = 1; level <= height(); ++level) {
    first_router_[level] = builder.device_count();
    const std::uint64_t count = subtrees(level) * tops(level);
    const auto ports = static_cast<PortNumber>(ports_down(level) + ports_up(level));
    for (std::uint64_t index = 0; index < count; ++index) {
      builder.add_router(router_name(level, index), router_guid(builder.device_count()), ports);
    }
  }
}

Result<> Tree::add_hosts(NetworkBuilder& builder, LinkRate rate) const {
  const std::uint64_t rails = parents_[0];
  for (std::uint64_t host = 0; host < hosts_; ++host) {
    const std::string name = fmt::format("N{}", host);
    for (std::uint64_t rail = 0; rail < rails; ++rail) {
      const auto nic = add_host_nic(builder, name, host * rails + rail, static_cast<PortNumber>(cables_[0]),
                                    static_cast<std::uint16_t>(rail));
      const auto leaf = router(1, host / children_[0], rail);
      for (std::uint64_t cable = 0; cable < cables_[0]; ++cable) {
        const auto leaf_port = static_cast<PortNumber>(1 + host % children_[0] * cables_[0] + cable);
        if (auto ok = builder.connect(nic, static_cast<PortNumber>(1 + cable), leaf, leaf_port, rate); !ok) return ok;
      }
    }
  }
  return {};
}

Result<> Tree::cable_up(NetworkBuilder& builder, std::size_t level, LinkRate rate) const {
  for (std::uint64_t subtree = 0; subtree < subtrees(level); ++subtree) {
    for (std::uint64_t top = 0; top < tops(level); ++top) {
      for (std::uint64_t parent = 0; parent < parents_[level]; ++parent) {
        if (auto ok = cable_to_parent(builder, level, subtree, top, parent, rate); !ok) return ok;
      }
    }
  }
  return {};
}

Result<> Tree::cable_to_parent(NetworkBuilder& builder, std::size_t level, std::uint64_t subtree, std::uint64_t top,
                               std::uint64_t parent, LinkRate rate) const {
  const auto lower = router(level, subtree, top);
  const auto upper = router(level + 1, subtree / children_[level], top * parents_[level] + parent);
  const std::uint64_t child = subtree % children_[level];
  const std::uint64_t cables = cables_[level];
  for (std::uint64_t cable = 0; cable < cables; ++cable) {
    const auto port_up = static_cast<PortNumber>(ports_down(level) + 1 + parent * cables + cable);
    const auto port_down = static_cast<PortNumber>(1 + child * cables + cable);
    if (auto ok = builder.connect(lower, port_up, upper, port_down, rate); !ok) return ok;
  }
  return {};
}

Result<Network> Tree::build(LinkRate rate) {
  NetworkBuilder builder;
  add_routers(builder);
  if (auto ok = add_hosts(builder, rate); !ok) return Failure(ok.error());
  for (std::size_t level = 1; level < height(); ++level) {
    if (auto ok = cable_up(builder, level, rate); !ok) return Failure(ok.error());
  }
  return builder.build();
}

Result<Network> open_tree(const Formula& formula, std::vector<std::uint64_t> m, std::vector<std::uint64_t> w,
                          std::vector<std::uint64_t> p) {
  std::uint64_t full_size = 1;
  for (const std::uint64_t children : m) full_size = saturating_product(full_size, children);
  const auto hosts = formula.number("nodes", full_size, 1, full_size);
  if (!hosts) return Failure(hosts.error());
  const auto rate = formula.rate();
  if (!rate) return Failure(rate.error());
  Tree tree(std::move(m), std::move(w), std::move(p), *hosts);
  if (auto checked = tree.check(formula); !checked) return Failure(checked.error());
  return tree.build(*rate);
}

}  // namespace

Result<Network> open_fat_tree(std::string_view rest) {
  constexpr std::array<std::string_view, 4> keys = {"K", "levels", "nodes", "rate"};
  const auto formula = Formula::parse("fattree", "fattree:K=6,levels=2,nodes=30", rest, keys);
  if (!formula) return Failure(formula.error());
  if (!formula->shape().empty()) {
    return formula->wrong(fmt::format("expected key=value instead of '{}'", formula->shape()));
  }
  if (!formula->has("K")) return formula->wrong("the key 'K' is missing: half the ports of a router");
  const auto k = formula->number("K", 0, 1, max_ports / 2);
  if (!k) return Failure(k.error());
  const auto levels = formula->number("levels", 2, 1, 4);
  if (!levels) return Failure(levels.error());

  // Roots turn all of their 2K ports down.
  std::vector<std::uint64_t> m(*levels, *k);
  m.back() = 2 * *k;
  std::vector<std::uint64_t> w(*levels, *k);
  w.front() = 1;
  return open_tree(*formula, std::move(m), std::move(w), std::vector<std::uint64_t>(*levels, 1));
}

Result<Network> open_xgft(std::string_view rest) {
  constexpr std::array<std::string_view, 6> keys = {"h", "m", "w", "p", "nodes", "rate"};
  const auto formula = Formula::parse("xgft", "xgft:h=2;m=18,36;w=1,18;p=1,1", rest, keys);
  if (!formula) return Failure(formula.error());
  if (!formula->shape().empty()) {
    return formula->wrong(fmt::format("expected key=value instead of '{}'", formula->shape()));
  }
  auto m = formula->numbers("m");
  if (!m) return Failure(m.error());
  auto w = formula->numbers("w");
  if (!w) return Failure(w.error());
  auto p = formula->numbers("p");
  if (!p) return Failure(p.error());
  if (m->empty() || w->empty())
    return formula->wrong("the keys 'm' and 'w' are needed: children and parents per level");
  if (p->empty()) p->assign(m->size(), 1);
  const auto height = formula->number("h", m->size(), 1, highest);
  if (!height) return Failure(height.error());
  if (m->size() != *height || w->size() != *height || p->size() != *height) {
    return formula->wrong(fmt::format("{} levels need as many numbers in m, w and p; there are {}, {} and {}", *height,
                                      m->size(), w->size(), p->size()));
  }
  if (*height > highest) return formula->wrong(fmt::format("{} levels; the maximum is {}", *height, highest));
  return open_tree(*formula, std::move(*m), std::move(*w), std::move(*p));
}

}  // namespace ayatori
