#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/job.hpp"
#include "described.hpp"

namespace ayatori::slurm {

namespace {

constexpr std::size_t max_hosts = std::size_t{1} << 18;
constexpr std::string_view whole_list =
    "scontrol show topology, without a name and with SLURM_TOPO_LEN unset, lists all";

/// Switches by index, with their children checked.
class Tree {
 public:
  Tree(const std::vector<DescribedSwitch>& switches, std::string_view file)
      : switches_(switches), file_(file), children_(switches.size()), parents_(switches.size(), 0) {}

  Result<Network> build(std::vector<std::string> warnings);

 private:
  Result<> name_switches();
  Result<> find_children();
  Result<> check_nodes() const;
  [[nodiscard]] Result<> check_circles() const;
  [[nodiscard]] Result<> check_below() const;
  Result<> add_switches(NetworkBuilder& builder) const;
  Result<> plug_in_nodes(NetworkBuilder& builder);
  Result<> cable_children(NetworkBuilder& builder);

  [[nodiscard]] Failure wrong(std::size_t index, std::string what) const {
    return fail_at(file_, switches_[index].line, std::move(what));
  }

  const std::vector<DescribedSwitch>& switches_;
  std::string_view file_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> parents_;   // how many
  std::vector<PortNumber> next_port_;  // by switch
};

Result<Network> Tree::build(std::vector<std::string> warnings) {
  for (const auto step : {&Tree::name_switches, &Tree::find_children}) {
    if (auto done = (this->*step)(); !done) return Failure(done.error());
  }
  if (auto checked = check_nodes(); !checked) return Failure(checked.error());
  if (auto checked = check_circles(); !checked) return Failure(checked.error());
  if (auto checked = check_below(); !checked) return Failure(checked.error());
  NetworkBuilder builder;
  builder.begin_plane("fabric");
  next_port_.assign(switches_.size(), 1);
  if (auto added = add_switches(builder); !added) return Failure(added.error());
  if (auto plugged = plug_in_nodes(builder); !plugged) return Failure(plugged.error());
  if (auto cabled = cable_children(builder); !cabled) return Failure(cabled.error());
  for (std::string& warning : warnings) builder.add_warning(std::move(warning));
  return builder.build();
}

Result<> Tree::name_switches() {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const auto [known, is_new] = index_.try_emplace(switches_[i].name, i);
    if (is_new) continue;
    return wrong(
        i, fmt::format("'{}' is defined twice, first in line {}", switches_[i].name, switches_[known->second].line));
  }
  return {};
}

Result<> Tree::find_children() {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    std::unordered_set<std::size_t> seen;
    for (const std::string& name : switches_[i].children) {
      const auto child = index_.find(name);
      if (child == index_.end()) {
        auto failure = wrong(i, fmt::format("'{}' has the child '{}', which is not defined", switches_[i].name, name));
        return switches_[i].below.empty() ? failure : with_hint(std::move(failure), std::string(whole_list));
      }
      if (!seen.insert(child->second).second) {
        return wrong(i, fmt::format("'{}' has the child '{}' twice", switches_[i].name, name));
      }
      children_[i].push_back(child->second);
      ++parents_[child->second];
    }
  }
  return {};
}

Result<> Tree::check_nodes() const {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const DescribedSwitch& here = switches_[i];
    if (!here.nodes.empty() && !here.children.empty()) {
      return wrong(i, fmt::format("'{}' has both nodes and child switches; Slurm allows one of them", here.name));
    }
    std::unordered_set<std::string_view> seen;
    for (const std::string& node : here.nodes) {
      if (!seen.insert(node).second) return wrong(i, fmt::format("'{}' has the node '{}' twice", here.name, node));
    }
  }
  return {};
}

/// Removes switches whose children are all removed (Kahn, 1962): the switches that remain lead into a cycle.
Result<> Tree::check_circles() const {
  std::vector<std::size_t> above = parents_;
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (above[i] == 0) ready.push_back(i);
  }
  std::size_t taken = 0;
  for (; taken < ready.size(); ++taken) {
    for (const std::size_t child : children_[ready[taken]]) {
      if (--above[child] == 0) ready.push_back(child);
    }
  }
  if (taken == switches_.size()) return {};
  // Every switch that remains has a parent that remains: going up leads into a cycle.
  std::vector<std::size_t> parent(switches_.size());
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (above[i] == 0) continue;
    for (const std::size_t child : children_[i]) parent[child] = i;
  }
  std::vector<bool> seen(switches_.size(), false);
  auto here =
      static_cast<std::size_t>(std::ranges::find_if(above, [](std::size_t n) { return n > 0; }) - above.begin());
  for (; !seen[here]; here = parent[here]) seen[here] = true;
  std::vector<std::string_view> names = {switches_[here].name};
  for (std::size_t next = parent[here]; next != here; next = parent[next]) names.push_back(switches_[next].name);
  names.push_back(switches_[here].name);
  return wrong(here, fmt::format("the switches form a cycle, each below the next: {}", fmt::join(names, ", ")));
}

/// scontrol prints with a switch all nodes below it: one that no switch below has was lost with a line.
Result<> Tree::check_below() const {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i].below.empty()) continue;
    std::unordered_set<std::string_view> found;
    std::unordered_set<std::size_t> seen = {i};
    std::vector<std::size_t> ahead = {i};
    while (!ahead.empty()) {
      const std::size_t here = ahead.back();
      ahead.pop_back();
      found.insert(switches_[here].nodes.begin(), switches_[here].nodes.end());
      for (const std::size_t child : children_[here]) {
        if (seen.insert(child).second) ahead.push_back(child);
      }
    }
    for (const std::string& node : switches_[i].below) {
      if (found.contains(node)) continue;
      return with_hint(wrong(i, fmt::format("'{}' has the node '{}' below it, but no switch below it is listed with it",
                                            switches_[i].name, node)),
                       std::string(whole_list));
    }
  }
  return {};
}

Result<> Tree::add_switches(NetworkBuilder& builder) const {
  constexpr std::size_t max_ports = std::numeric_limits<PortNumber>::max();
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const std::size_t ports = switches_[i].nodes.size() + children_[i].size() + parents_[i];
    if (ports > max_ports) {
      return wrong(i, fmt::format("'{}' would need {} ports; the maximum is {}", switches_[i].name, ports, max_ports));
    }
    builder.add_router(switches_[i].name, 0, static_cast<PortNumber>(ports));
  }
  return {};
}

/// Switches were added first: their handles are their indices.
Result<> Tree::plug_in_nodes(NetworkBuilder& builder) {
  std::unordered_map<std::string_view, std::uint16_t> rails;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    for (const std::string& node : switches_[i].nodes) {
      const auto nic = builder.add_nic(node, 0, 1, node, rails[node]++);
      const auto leaf = static_cast<NetworkBuilder::Handle>(i);
      if (auto plugged = builder.connect(nic, 1, leaf, next_port_[i]++, {}); !plugged) return plugged;
    }
  }
  return {};
}

/// All ports downwards come before those upwards, whatever the order of the lines.
Result<> Tree::cable_children(NetworkBuilder& builder) {
  std::vector<PortNumber> port_up = next_port_;
  for (std::size_t i = 0; i < switches_.size(); ++i)
    port_up[i] = static_cast<PortNumber>(port_up[i] + children_[i].size());
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    for (const std::size_t child : children_[i]) {
      auto cabled = builder.connect(static_cast<NetworkBuilder::Handle>(i), next_port_[i]++,
                                    static_cast<NetworkBuilder::Handle>(child), port_up[child]++, {});
      if (!cabled) return cabled;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> HostLists::expand(std::string_view list, std::size_t line) {
  // Slurm's own lists end names at blanks and commas only.
  auto hosts = expand_hostlist(list, ":=");
  if (!hosts) return fail_at(file_, line, hosts.error().message);
  count_ += hosts->size();
  if (count_ > max_hosts) return fail_at(file_, line, fmt::format("more than {} hosts and switches", max_hosts));
  return hosts;
}

Result<Network> network_of_switches(const std::vector<DescribedSwitch>& switches, std::string_view file,
                                    std::vector<std::string> warnings) {
  return Tree(switches, file).build(std::move(warnings));
}

}  // namespace ayatori::slurm
