#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ayatori/base/text.hpp"
#include "ayatori/network/plane_network.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "described.hpp"
#include "leaves.hpp"

namespace ayatori {

namespace slurm {

namespace {

/// Of a word that is written, without "-nodes" and numbers that may follow: host lists take names of 255 letters.
constexpr std::size_t longest_word = 200;

/// Characters that Slurm's parser, YAML and host lists all accept in a word.
std::string plain_word(std::string_view name) {
  std::string word(name.substr(0, longest_word));
  for (char& c : word) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_';
    if (!plain) c = '-';
  }
  return word.empty() || word.front() == '-' ? "x" + word : word;
}

/// Makes words of names. Equal words get a number, so that they differ.
class Words {
 public:
  std::string unique(std::string_view name) {
    const std::string word = plain_word(name);
    std::string candidate = word;
    for (std::size_t number = 2; !taken_.insert(candidate).second; ++number)
      candidate = fmt::format("{}-{}", word, number);
    return candidate;
  }

 private:
  std::unordered_set<std::string> taken_;
};

class Writer {
 public:
  Writer(const Network& network, const Levels& levels, const RouterGraph& graph)
      : network_(network), levels_(levels), graph_(graph), leaves_(network, levels) {
    for (DeviceId router = 0; router < network.router_count(); ++router)
      names_.push_back(words_.unique(network.name(router)));
    machine_names_.resize(network.machines().size());
    for (MachineId id = 0; id < network.machines().size(); ++id)
      machine_names_[id] = hosts_.unique(network.machine(id).name);
    nodes_.resize(network.router_count());
    for (MachineId id = 0; id < network.machines().size(); ++id) {
      const DeviceId router = leaves_.router_of(id);
      if (router != no_id) nodes_[router].push_back(machine_names_[id]);
    }
  }

  /// Level by level, so that children that stand for several routers are known.
  std::vector<WrittenSwitch> write() {
    written_as_.resize(network_.router_count());
    for (std::uint8_t level = 0; level < levels_.count; ++level) {
      by_children_.clear();
      for (const DeviceId router : routers_in_order()) {
        if (levels_.level[router] == level) write_router(router);
      }
    }
    if (levels_.count == 1) write_above_leaves();
    return std::move(switches_);
  }

 private:
  /// Without those that are idle: no node is below them.
  [[nodiscard]] std::vector<DeviceId> routers_in_order() const {
    std::vector<DeviceId> order;
    for (DeviceId id = 0; id < network_.router_count(); ++id) {
      if (!levels_.idle[id]) order.push_back(id);
    }
    std::ranges::stable_sort(order, [&](DeviceId a, DeviceId b) { return natural_less(names_[a], names_[b]); });
    return order;
  }

  [[nodiscard]] std::vector<std::string> children_of(DeviceId router) const {
    std::vector<std::string> children;
    for (const DeviceId member : leaves_.joined_with(router)) {
      for (const auto& neighbour : graph_.neighbours(member)) {
        if (!levels_.idle[neighbour.router] && levels_.level[neighbour.router] < levels_.level[router]) {
          children.push_back(switches_[written_as_[neighbour.router]].written.name);
        }
      }
    }
    return in_order(std::move(children));
  }

  static std::vector<std::string> in_order(std::vector<std::string> names) {
    std::ranges::sort(names, natural_less);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  /// Routers that are joined are written as the first of them.
  void write_router(DeviceId router) {
    const auto joined = leaves_.joined_with(router);
    if (const auto first = first_written_.find(leaves_.first_of(router)); first != first_written_.end()) {
      written_as_[router] = first->second;
      switches_[first->second].same.push_back(names_[router]);
      return;
    }
    std::vector<std::string> nodes;
    for (const DeviceId member : joined) nodes.insert(nodes.end(), nodes_[member].begin(), nodes_[member].end());
    nodes = in_order(std::move(nodes));
    auto children = children_of(router);
    if (!nodes.empty() && !children.empty()) {
      const std::string extra = words_.unique(names_[router] + "-nodes");
      switches_.push_back({{extra, {}, std::move(nodes), 0}, {}});
      children.push_back(extra);
      nodes.clear();
    }
    if (!children.empty()) {
      const auto [same, is_new] = by_children_.try_emplace(children, switches_.size());
      written_as_[router] = same->second;
      if (!is_new) {
        switches_[same->second].same.push_back(names_[router]);
        return;
      }
    }
    written_as_[router] = switches_.size();
    if (joined.size() > 1) first_written_[leaves_.first_of(router)] = switches_.size();
    switches_.push_back({{names_[router], std::move(children), std::move(nodes), 0}, {}});
  }

  /// Leaves that are cabled to each other alone have no router above, and a tree needs a switch there.
  void write_above_leaves() {
    std::vector<std::pair<std::string, std::vector<std::string>>> above;
    std::map<DeviceId, std::size_t> of_part;
    const auto parts = graph_.part_numbers();
    for (const DeviceId router : routers_in_order()) {
      const auto [part, is_new] = of_part.try_emplace(parts[router], above.size());
      if (is_new) above.emplace_back(names_[router], std::vector<std::string>());
      above[part->second].second.push_back(switches_[written_as_[router]].written.name);
    }
    for (auto& [first, children] : above) {
      auto distinct = in_order(std::move(children));
      if (distinct.size() < 2) continue;
      switches_.push_back({{words_.unique(first + "-above"), std::move(distinct), {}, 0}, {}});
    }
  }

  const Network& network_;
  const Levels& levels_;
  const RouterGraph& graph_;
  JoinedLeaves leaves_;
  Words words_;
  Words hosts_;
  std::vector<std::string> names_;               // by router
  std::vector<std::string> machine_names_;       // by machine
  std::vector<std::vector<std::string>> nodes_;  // by router
  std::vector<WrittenSwitch> switches_;
  std::vector<std::size_t> written_as_;                          // by router: in switches_
  std::unordered_map<DeviceId, std::size_t> first_written_;      // by the first router of those that are joined
  std::map<std::vector<std::string>, std::size_t> by_children_;  // of the level at hand
};

}  // namespace

Result<std::vector<WrittenSwitch>> switches_of_network(const Network& network) {
  if (network.planes().size() > 1) {
    if (const auto for_jobs = network_for(network, Purpose::neighbours); for_jobs && for_jobs->planes().size() == 1) {
      return switches_of_network(*for_jobs);
    }
  }
  const RouterGraph graph(network);
  const auto levels = levels_for_slurm(network, graph);
  if (!levels) {
    return with_hint(with_cause(fail("Slurm's topology files cannot describe this network"), levels.error().reason),
                     "topology/tree has trees only; json keeps any network");
  }
  if (network.endpoints().empty()) return fail("a Slurm topology needs machines with a cable; this network has none");
  return Writer(network, *levels, graph).write();
}

}  // namespace slurm

namespace {

std::string note(const slurm::WrittenSwitch& entry) {
  if (entry.same.empty()) return "";
  return fmt::format("# {} also stands for {}\n", entry.written.name, slurm::compress_hostlist(entry.same));
}

}  // namespace

Result<> write_slurm_conf(const Network& network, const Sink& sink) {
  const auto switches = slurm::switches_of_network(network);
  if (!switches) return Failure(switches.error());
  sink("# topology.conf for TopologyPlugin=topology/tree, written by Ayatori\n");
  for (const auto& entry : *switches) {
    const auto& [name, children, nodes, line, below] = entry.written;
    sink(note(entry));
    sink(fmt::format("SwitchName={}", name));
    if (!children.empty()) sink(fmt::format(" Switches={}", slurm::compress_hostlist(children)));
    if (!nodes.empty()) sink(fmt::format(" Nodes={}", slurm::compress_hostlist(nodes)));
    sink("\n");
  }
  return {};
}

Result<> write_slurm_yaml(const Network& network, const Sink& sink) {
  const auto switches = slurm::switches_of_network(network);
  if (!switches) return Failure(switches.error());
  sink("# topology.yaml of Slurm 25.05 or later, written by Ayatori\n---\n");
  sink("- topology: default\n  cluster_default: true\n  tree:\n    switches:\n");
  for (const auto& entry : *switches) {
    const auto& [name, children, nodes, line, below] = entry.written;
    sink(note(entry));
    sink(fmt::format("      - switch: \"{}\"\n", name));
    if (!children.empty()) sink(fmt::format("        children: \"{}\"\n", slurm::compress_hostlist(children)));
    if (!nodes.empty()) sink(fmt::format("        nodes: \"{}\"\n", slurm::compress_hostlist(nodes)));
  }
  return {};
}

}  // namespace ayatori
