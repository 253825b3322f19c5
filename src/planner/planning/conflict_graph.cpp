#include "conflict_graph.hpp"

#include <algorithm>
#include <map>

namespace ayatori {

namespace {

/// Destinations that share something in a step: messages for each (endpoint, choice).
class Shared {
 public:
  void add(std::uint32_t endpoint, std::uint32_t choice, std::uint32_t messages) {
    const auto same = [&](const Entry& e) { return e.endpoint == endpoint && e.choice == choice; };
    const auto known = std::find_if(entries_.begin(), entries_.end(), same);
    if (known == entries_.end()) {
      entries_.push_back({endpoint, choice, messages});
    } else {
      known->messages += messages;
    }
  }

  /// `too_much(entry)` for what doesn't fit alone, `conflict(entry, entry)` for what doesn't fit together.
  template <typename TooMuch, typename Conflict>
  void judge(std::uint32_t room, TooMuch&& too_much, Conflict&& conflict) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].messages > room) too_much(entries_[i]);
      for (std::size_t j = 0; j < i; ++j) {
        if (entries_[i].endpoint != entries_[j].endpoint && entries_[i].messages + entries_[j].messages > room) {
          conflict(entries_[i], entries_[j]);
        }
      }
    }
  }

  void clear() { entries_.clear(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  struct Entry {
    std::uint32_t endpoint;
    std::uint32_t choice;
    std::uint32_t messages;
  };

 private:
  std::vector<Entry> entries_;
};

class GraphMaker {
 public:
  GraphMaker(const PlanTask& task, const JobDemands& demands) : task_(task), demands_(demands) {}

  [[nodiscard]] bool is_plain() const {
    return task_.labels.consistent() && task_.labels.heights() <= 1 && task_.labels.count(0) <= max_colours &&
           links_are_alike() && labels_are_the_same_from_everywhere();
  }

  ConflictGraph plain() const {
    const std::size_t colours = task_.labels.count(0);
    const std::uint32_t endpoints = task_.endpoints.endpoint_count();
    ConflictGraph made{ClashGraph::plain(endpoints, colours), {}};
    made.choice.assign(endpoints, std::vector(colours, ConflictGraph::no_choice));
    for (std::uint32_t endpoint = 0; endpoint < endpoints; ++endpoint) {
      made.graph.list(endpoint).reset();
      for (std::uint32_t c = 0; c < task_.paths.choice_count(endpoint); ++c) {
        const Label label = label_of(endpoint, c).value_or(Label{0});
        made.graph.list(endpoint).set(label);
        made.choice[endpoint][label] = static_cast<std::uint8_t>(c);
      }
    }
    for (std::uint32_t step = 0; step < demands_.step_count() && !task_.control.stopped(); ++step) {
      add_edges(made.graph, step);
    }
    return made;
  }

  ConflictGraph general() const {
    const std::size_t colours = task_.paths.max_choices();
    const std::uint32_t endpoints = task_.endpoints.endpoint_count();
    ConflictGraph made{ClashGraph::general(endpoints, colours), {}};
    made.choice.assign(endpoints, std::vector(colours, ConflictGraph::no_choice));
    for (std::uint32_t endpoint = 0; endpoint < endpoints; ++endpoint) {
      for (std::size_t c = 0; c < colours; ++c) {
        if (c < task_.paths.choice_count(endpoint)) {
          made.choice[endpoint][c] = static_cast<std::uint8_t>(c);
        } else {
          made.graph.list(endpoint).reset(c);
        }
      }
    }
    std::vector<Shared> on_link(task_.paths.link_count());
    for (std::uint32_t step = 0; step < demands_.step_count() && !task_.control.stopped(); ++step) {
      add_clashes(made.graph, on_link, step);
    }
    return made;
  }

 private:
  [[nodiscard]] bool links_are_alike() const {
    for (LinkIndex link = 1; link < task_.paths.link_count(); ++link) {
      if (task_.weights[task_.paths.port(link)] != task_.weights[task_.paths.port(0)]) return false;
    }
    return true;
  }

  [[nodiscard]] bool labels_are_the_same_from_everywhere() const {
    for (std::uint32_t endpoint = 0; endpoint < task_.endpoints.endpoint_count(); ++endpoint) {
      for (std::uint32_t c = 0; c < task_.paths.choice_count(endpoint); ++c) {
        const auto label = label_of(endpoint, c);
        for (std::uint32_t leaf = 0; leaf < task_.endpoints.leaf_count(); ++leaf) {
          const auto route = task_.paths.route(leaf, endpoint, c);
          if (!route.empty() && task_.labels.of(route.front()) != *label) return false;
        }
      }
    }
    return true;
  }

  /// The label of a choice from the first leaf that needs one.
  [[nodiscard]] std::optional<Label> label_of(std::uint32_t endpoint, std::uint32_t choice) const {
    for (std::uint32_t leaf = 0; leaf < task_.endpoints.leaf_count(); ++leaf) {
      const auto route = task_.paths.route(leaf, endpoint, choice);
      if (!route.empty()) return task_.labels.of(route.front());
    }
    return std::nullopt;
  }

  void add_edges(ClashGraph& graph, std::uint32_t step) const {
    const std::uint32_t room = capacity(demands_.ideal(step), task_.weights[task_.paths.port(0)]);
    std::map<std::pair<bool, std::uint32_t>, Shared> groups;
    for (const Demand& demand : demands_.of_step(step)) {
      groups[{false, demand.leaf}].add(demand.endpoint, 0, demand.messages);
      groups[{true, task_.endpoints.leaf(demand.endpoint)}].add(demand.endpoint, 0, demand.messages);
    }
    for (const auto& [place, shared] : groups) {
      shared.judge(
          room, [&](const Shared::Entry& entry) { graph.list(entry.endpoint).reset(); },
          [&](const Shared::Entry& a, const Shared::Entry& b) { graph.add_edge(a.endpoint, b.endpoint); });
    }
  }

  void add_clashes(ClashGraph& graph, std::vector<Shared>& on_link, std::uint32_t step) const {
    for (const Demand& demand : demands_.of_step(step)) {
      for (std::uint32_t c = 0; c < task_.paths.choice_count(demand.endpoint); ++c) {
        for (const LinkIndex link : task_.paths.route(demand.leaf, demand.endpoint, c)) {
          on_link[link].add(demand.endpoint, c, demand.messages);
        }
      }
    }
    for (LinkIndex link = 0; link < on_link.size(); ++link) {
      if (on_link[link].empty()) continue;
      on_link[link].judge(
          capacity(demands_.ideal(step), task_.weights[task_.paths.port(link)]),
          [&](const Shared::Entry& entry) { graph.list(entry.endpoint).reset(entry.choice); },
          [&](const Shared::Entry& a, const Shared::Entry& b) {
            graph.add_clash(a.endpoint, a.choice, b.endpoint, b.choice);
          });
      on_link[link].clear();
    }
  }

  const PlanTask& task_;
  const JobDemands& demands_;
};

}  // namespace

PathChoices ConflictGraph::choices_of(const std::vector<std::uint8_t>& colouring) const {
  PathChoices choices;
  for (std::size_t endpoint = 0; endpoint < colouring.size(); ++endpoint)
    choices.push_back(choice[endpoint][colouring[endpoint]]);
  return choices;
}

bool ConflictGraph::colours_are_alike() const {
  const auto has_all = [](const std::vector<std::uint8_t>& choices) {
    return std::find(choices.begin(), choices.end(), no_choice) == choices.end();
  };
  return graph.is_plain() && std::all_of(choice.begin(), choice.end(), has_all);
}

std::optional<ConflictGraph> conflict_graph(const PlanTask& task, const JobDemands& demands, std::uint64_t max_bytes) {
  const GraphMaker maker(task, demands);
  if (maker.is_plain()) return maker.plain();
  const std::uint64_t pairs = std::uint64_t{task.endpoints.endpoint_count()} * task.endpoints.endpoint_count();
  if (pairs * task.paths.max_choices() * sizeof(ColourSet) > max_bytes) return std::nullopt;
  return maker.general();
}

}  // namespace ayatori
