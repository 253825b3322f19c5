/// \file
/// Paper 1, section 4.2: with local endpoint id l, the endpoint's position among the job's endpoints in network order,
/// N_n endpoints, and N_ln the most endpoints on one leaf,
///
///     root(l) = l mod M,   M = N_ln if N_n mod N_ln = 0, else K.
///
/// Beyond the paper: endpoints of different rails are numbered apart, since a step of one rank per rail moves them side
/// by side. K is the number of different paths up from a leaf. In trees of more levels the next digit of l picks the
/// path at the next height, l / M mod K', which is d-mod-k routing with local ids.

#include <algorithm>
#include <map>

#include "plan_methods.hpp"

namespace ayatori {

namespace {

class Rule {
 public:
  explicit Rule(const PlanTask& task) : task_(task), choices_(task.endpoints.endpoint_count(), 0) {}

  PathChoices run() {
    std::map<std::uint16_t, std::vector<std::uint32_t>> rails;
    for (std::uint32_t endpoint = 0; endpoint < task_.endpoints.endpoint_count(); ++endpoint)
      rails[rail(endpoint)].push_back(endpoint);
    for (const auto& [rail, endpoints] : rails) {
      const std::uint32_t m = modulus(endpoints);
      for (std::uint32_t l = 0; l < endpoints.size(); ++l) choices_[endpoints[l]] = choice(endpoints[l], l, m);
    }
    return std::move(choices_);
  }

 private:
  [[nodiscard]] std::uint16_t rail(std::uint32_t endpoint) const {
    return task_.network.device(task_.network.port(task_.endpoints.port(endpoint)).device).rail;
  }

  [[nodiscard]] std::uint32_t modulus(const std::vector<std::uint32_t>& endpoints) const {
    std::vector<std::uint32_t> endpoints_on(task_.endpoints.leaf_count(), 0);
    for (const std::uint32_t endpoint : endpoints) ++endpoints_on[task_.endpoints.leaf(endpoint)];
    const std::uint32_t most = *std::max_element(endpoints_on.begin(), endpoints_on.end());
    return endpoints.size() % most == 0 ? most : std::max(1U, task_.labels.count(0));
  }

  /// The choice whose labels agree with the digits of l for the most heights; the l-th one where none agrees. Choices
  /// are counted from the lowest, since base LIDs of different endpoints take different paths.
  [[nodiscard]] std::uint8_t choice(std::uint32_t endpoint, std::uint32_t l, std::uint32_t m) const {
    const std::uint32_t leaf = farthest_leaf(endpoint);
    const std::uint32_t choices = task_.paths.choice_count(endpoint);
    const std::uint32_t lowest = task_.paths.lowest_choice(task_.network, endpoint);
    std::uint32_t best = (lowest + l) % choices;
    std::size_t agreed = 0;
    for (std::uint32_t i = 0; task_.labels.consistent() && i < choices; ++i) {
      const std::uint32_t c = (lowest + i) % choices;
      const std::size_t heights = heights_agreed(task_.paths.route(leaf, endpoint, c), l, m);
      if (heights <= agreed) continue;
      agreed = heights;
      best = c;
    }
    return static_cast<std::uint8_t>(best);
  }

  [[nodiscard]] std::size_t heights_agreed(std::span<const LinkIndex> route, std::uint32_t l, std::uint32_t m) const {
    std::uint32_t rest = l;
    std::uint32_t base = m;
    for (std::size_t height = 0; height < route.size() / 2; ++height) {
      if (task_.labels.of(route[height]) != rest % base) return height;
      rest /= base;
      base = std::max(1U, task_.labels.count(height + 1));
    }
    return route.size() / 2;
  }

  /// A leaf from which the way to the endpoint climbs as high as from any.
  [[nodiscard]] std::uint32_t farthest_leaf(std::uint32_t endpoint) const {
    std::uint32_t farthest = 0;
    for (std::uint32_t leaf = 0; leaf < task_.endpoints.leaf_count(); ++leaf) {
      if (task_.paths.route(leaf, endpoint, 0).size() > task_.paths.route(farthest, endpoint, 0).size())
        farthest = leaf;
    }
    return farthest;
  }

  const PlanTask& task_;
  PathChoices choices_;
};

}  // namespace

PathChoices choices_by_rule(const PlanTask& task) { return Rule(task).run(); }

MethodResult plan_by_rule(const PlanTask& task) {
  std::string reason = task.labels.consistent()
                           ? "paper 1, section 4.2"
                           : "paper 1, section 4.2, on tables whose LIDs do not name the same paths everywhere";
  return {plan_of(task, Method::rule, choices_by_rule(task)), std::move(reason), 0};
}

}  // namespace ayatori
