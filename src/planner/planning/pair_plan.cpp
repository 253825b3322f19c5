/// \file
/// A path for each (source, destination). In a step, messages are the edges of a bipartite multigraph from the leaves
/// that they leave to the leaves that they enter; colouring its edges with paths leaves no link with more messages than
/// it must have (bipartite_colouring.hpp). With three levels the first colouring picks a middle router for every
/// message, and a second one, of the messages between middle routers, the roots (a Clos network's rearrangement, level
/// by level). Where LIDs don't reach every path, or cables are missing, messages without a colour take the least loaded
/// path, and chains of moves take them off hot spots (step_paths.hpp).

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ayatori/base/random.hpp"
#include "ayatori/base/set_bits.hpp"
#include "bipartite_colouring.hpp"
#include "graph_colouring.hpp"
#include "leaf_bound.hpp"
#include "plan_methods.hpp"
#include "step_paths.hpp"

namespace ayatori {

namespace {

/// Messages that repairs may look at, over all steps of a job: that takes a few seconds. And at least for each step.
constexpr std::uint64_t effort_of_repairs = 20'000'000;
constexpr std::uint64_t least_repair_effort = 1000;
constexpr int max_repair_restarts = 8;  ///< in a step, with paths given in random order

constexpr std::uint8_t undecided = 0xFF;

/// Labels of one height, those that carried least first: a colouring takes the first colours most, and all links are to
/// be used evenly over the steps.
class LabelOrder {
 public:
  explicit LabelOrder(std::uint32_t labels) : carried_(labels, 0), by_place_(labels), place_(labels) { forget_order(); }

  void add(Label label) { ++carried_[label]; }

  /// By number, as if nothing had been carried.
  void forget_order() {
    std::iota(by_place_.begin(), by_place_.end(), Label{0});
    number_places();
  }

  void sort() {
    std::stable_sort(by_place_.begin(), by_place_.end(), [&](Label a, Label b) { return carried_[a] < carried_[b]; });
    number_places();
  }

  [[nodiscard]] std::uint32_t place(Label label) const { return place_[label]; }
  [[nodiscard]] Label at(std::uint32_t place) const { return by_place_[place]; }

 private:
  void number_places() {
    for (std::uint32_t place = 0; place < by_place_.size(); ++place) place_[by_place_[place]] = place;
  }

  std::vector<std::uint64_t> carried_;  // by label
  std::vector<Label> by_place_;
  std::vector<std::uint32_t> place_;  // by label
};

/// Colours the messages of a step height by height.
class Colourer {
 public:
  explicit Colourer(const PlanTask& task) : task_(task) {
    for (std::size_t height = 0; height < task.labels.heights(); ++height) {
      orders_.emplace_back(task.labels.count(height));
    }
    for (LinkIndex link = 0; link < task.paths.link_count(); ++link) {
      const Port& port = task.network.port(task.paths.port(link));
      begins_at_.push_back(port.device);
      ends_at_.push_back(task.network.port(port.peer).device);
    }
  }

  [[nodiscard]] bool applies() const {
    bool fits = task_.labels.consistent();
    for (std::size_t height = 0; height < task_.labels.heights(); ++height) {
      fits = fits && task_.labels.count(height) <= max_edge_colours;
    }
    return fits;
  }

  void colour(StepPaths& step) {
    open_.assign(step.messages().size(), ColourSet{});
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const StepMessage& message = step.messages()[i];
      if (message.fixed) continue;
      for (std::uint32_t c = 0; c < task_.paths.choice_count(message.endpoint); ++c) open_[i].set(c);
    }
    uncoloured_.clear();
    for (std::size_t height = 0; height < task_.labels.heights(); ++height) colour_height(step, height);
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
      if (open_[i].any()) step.move(i, static_cast<std::uint32_t>(first_set_bit(open_[i])));
    }
    for (const std::uint32_t i : uncoloured_) step.choose_least_loaded(i);
  }

  /// The labels by number for the next step. Where LIDs name windows of neighbouring paths, that fits them best.
  void forget_order() {
    for (LabelOrder& order : orders_) order.forget_order();
  }

  /// Notes that these are the paths of the step, so that later steps begin with other colours.
  void keep(const StepPaths& step, std::span<const StepMessage> messages) {
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
      const auto links = route(step, i, messages[i].choice);
      for (std::size_t height = 0; height < links.size() / 2; ++height) {
        orders_[height].add(task_.labels.of(links[height]));
      }
    }
    for (LabelOrder& order : orders_) order.sort();
  }

 private:
  void colour_height(StepPaths& step, std::size_t height) {
    edges_.clear();
    owners_.clear();
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
      if (open_[i].none() || route(step, i, first_set_bit(open_[i])).size() / 2 <= height) continue;
      edges_.push_back(edge(step, i, height));
      owners_.push_back(i);
    }
    const auto colours = colour_edges(edges_);
    for (std::size_t e = 0; e < edges_.size(); ++e) narrow(step, owners_[e], height, colours[e]);
  }

  [[nodiscard]] static std::span<const LinkIndex> route(const StepPaths& step, std::uint32_t i, std::size_t choice) {
    return step.route(i, static_cast<std::uint32_t>(choice));
  }

  /// The message as an edge between the routers where it is at this height, on its way up and on its way down.
  [[nodiscard]] BipartiteEdge edge(const StepPaths& step, std::uint32_t i, std::size_t height) const {
    const ColourSet& choices = open_[i];
    const auto any = route(step, i, first_set_bit(choices));
    BipartiteEdge edge;
    edge.left = begins_at_[any[height]];
    edge.right = ends_at_[any[any.size() - 1 - height]];
    for (std::size_t c = first_set_bit(choices); c < choices.size(); c = set_bit_from(choices, c + 1)) {
      const auto links = route(step, i, c);
      if (links.size() == any.size()) edge.list.set(orders_[height].place(task_.labels.of(links[height])));
    }
    return edge;
  }

  /// Keeps the choices of that colour. A message without a colour takes the least loaded path in the end.
  void narrow(const StepPaths& step, std::uint32_t i, std::size_t height, std::uint16_t colour) {
    if (colour == no_colour) {
      open_[i].reset();
      uncoloured_.push_back(i);
      return;
    }
    const Label label = orders_[height].at(colour);
    for (std::size_t c = first_set_bit(open_[i]); c < open_[i].size(); c = set_bit_from(open_[i], c + 1)) {
      const auto links = route(step, i, c);
      if (height >= links.size() / 2 || task_.labels.of(links[height]) != label) open_[i].reset(c);
    }
  }

  const PlanTask& task_;
  std::vector<DeviceId> begins_at_;  // by link: routers
  std::vector<DeviceId> ends_at_;
  std::vector<LabelOrder> orders_;  // by height
  std::vector<ColourSet> open_;     // by message: choices that are left
  std::vector<std::uint32_t> uncoloured_;
  std::vector<BipartiteEdge> edges_;
  std::vector<std::uint32_t> owners_;  // by edge
};

class PairPlanner {
 public:
  explicit PairPlanner(const PlanTask& task)
      : task_(task),
        ranks_(static_cast<Rank>(task.endpoints.rank_count())),
        bits_(std::size_t{ranks_} * ranks_, undecided),
        bound_(task.network, task.endpoints, task.paths, task.weights, task.control),
        colourer_(task),
        step_(task.paths, task.weights, task.control),
        effort_per_step_(
            std::max(least_repair_effort, effort_of_repairs / std::max<std::size_t>(1, task.steps.step_count()))) {}

  MethodResult run() {
    for (; planned_ < task_.steps.step_count() && !task_.control.stopped(); ++planned_) {
      task_.steps.step(planned_, messages_);
      plan_step(task_.bound.by_step[planned_]);
    }
    std::vector<std::uint8_t> first;
    for (Rank to = 0; to < ranks_; ++to) first.push_back(task_.paths.path_bits(task_.endpoints.endpoint_of(to), 0));
    for (std::size_t row = 0; row < bits_.size(); row += ranks_) {
      for (Rank to = 0; to < ranks_; ++to) {
        if (bits_[row + to] == undecided) bits_[row + to] = first[to];
      }
    }
    // Base LIDs are tried in every step that takes longer than its bound, and repairs make no step longer.
    const bool never_worse = met_again_ == 0 && planned_ == task_.steps.step_count();
    return {Plan::per_pair(ranks_, std::move(bits_)), reason(), 0, never_worse};
  }

 private:
  /// The paths of a step, and how good they are.
  struct Attempt {
    double time = 0;
    std::size_t hot_links = 0;
    std::vector<StepMessage> messages;

    [[nodiscard]] bool better_than(const Attempt& other) const {
      return std::pair(time, hot_links) < std::pair(other.time, other.hot_links);
    }
  };

  void plan_step(const StepBound& bound) {
    bound_.begin(messages_);
    std::uint64_t effort = effort_per_step_;
    step_.start(messages_between_leaves());
    if (colourer_.applies()) {
      colourer_.colour(step_);
    } else {
      choose_least_loaded(in_order());
    }
    Attempt best = improved(bound, effort);
    if (best.time > bound.time && colourer_.applies()) {
      step_.start_again();
      colourer_.forget_order();
      colourer_.colour(step_);
      Attempt other = improved(bound, effort);
      if (other.better_than(best)) best = std::move(other);
    }
    if (best.time > bound.time) {
      step_.start_again();
      choose_base_lids();
      Attempt other = improved(bound, effort);
      if (other.better_than(best)) best = std::move(other);
    }
    for (int again = 0; again < max_repair_restarts && best.time > bound.time && effort > owners_.size(); ++again) {
      effort -= owners_.size();
      step_.start_again();
      choose_least_loaded(in_random_order());
      Attempt other = improved(bound, effort);
      if (other.better_than(best)) best = std::move(other);
    }
    if (best.time > bound.time) ++unproven_;
    step_.keep(best.messages);
    if (colourer_.applies()) colourer_.keep(step_, best.messages);
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      const StepMessage& message = best.messages[i];
      bits_[owners_[i]] = task_.paths.path_bits(message.endpoint, message.choice);
    }
  }

  /// The messages between leaves. A pair that met in an earlier step keeps its path.
  std::vector<StepMessage> messages_between_leaves() {
    std::vector<StepMessage> messages;
    owners_.clear();
    for (const Message& m : messages_) {
      if (!task_.endpoints.crosses_leaves(m)) continue;
      const std::uint32_t endpoint = task_.endpoints.endpoint_of(m.to);
      const std::size_t pair = std::size_t{m.from} * ranks_ + m.to;
      const bool decided = bits_[pair] != undecided;
      met_again_ += decided ? 1 : 0;
      messages.push_back({task_.endpoints.leaf(task_.endpoints.endpoint_of(m.from)), endpoint,
                          decided ? task_.paths.choice_with(endpoint, bits_[pair]).value() : 0, decided});
      owners_.push_back(pair);
    }
    return messages;
  }

  [[nodiscard]] std::vector<std::uint32_t> in_order() const {
    std::vector<std::uint32_t> order(owners_.size());
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }

  std::vector<std::uint32_t> in_random_order() {
    std::vector<std::uint32_t> order = in_order();
    random_.shuffle(std::span(order));
    return order;
  }

  void choose_least_loaded(const std::vector<std::uint32_t>& order) {
    for (const std::uint32_t i : order) {
      if (!step_.messages()[i].fixed) step_.choose_least_loaded(i);
    }
  }

  /// Tables spread base LIDs over the paths.
  void choose_base_lids() {
    for (std::uint32_t i = 0; i < owners_.size(); ++i) {
      if (!step_.messages()[i].fixed) step_.move(i, 0);
    }
  }

  /// Tries to remove all hot spots first, and then at least those that make the step longer.
  Attempt improved(const StepBound& bound, std::uint64_t& effort) {
    if (step_.time() > bound.ideal) step_.relieve(bound.ideal, bound_, effort);
    for (double time = bound.time; time < step_.time() && effort > 0; time = bound_.next_time(time)) {
      step_.relieve(time, bound_, effort);
    }
    return {step_.time(), step_.busier_than(bound.ideal).size(), step_.messages()};
  }

  [[nodiscard]] std::string reason() const {
    const std::string how = colourer_.applies() ? "edge colouring of each step (König)" : "emptiest paths, repaired";
    if (const std::size_t left = task_.steps.step_count() - planned_; left > 0) {
      return fmt::format("{}: {} of {} steps have base LIDs, since the search ended early", how, left,
                         task_.steps.step_count());
    }
    if (unproven_ == 0) return how + ": every step takes the least time that its leaves allow";
    return fmt::format(
        "{}: {} of {} steps take longer than each leaf by itself would make them{}", how, unproven_,
        task_.steps.step_count(),
        met_again_ == 0 ? "" : fmt::format("; {} messages keep the path of an earlier step", met_again_));
  }

  const PlanTask& task_;
  Rank ranks_;
  std::vector<std::uint8_t> bits_;  // source-major
  LeafBound bound_;
  Colourer colourer_;
  StepPaths step_;
  std::uint64_t effort_per_step_;
  std::vector<Message> messages_;
  std::vector<std::size_t> owners_;  // by message: index into bits_
  Random random_{1};
  std::size_t planned_ = 0;    // steps
  std::size_t unproven_ = 0;   // steps
  std::size_t met_again_ = 0;  // messages whose pair had its path already
};

}  // namespace

MethodResult plan_by_pair(const PlanTask& task) { return PairPlanner(task).run(); }

}  // namespace ayatori
