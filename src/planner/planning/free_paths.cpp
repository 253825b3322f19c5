#include "free_paths.hpp"

#include <algorithm>

namespace ayatori {

namespace {

constexpr std::size_t max_clash_bytes = std::size_t{1} << 24;

class FreePathGraph {
 public:
  FreePathGraph(const JobPaths& paths, std::span<const StepMessage> messages)
      : paths_(paths), messages_(messages), graph_(ClashGraph::general(messages.size(), paths.max_choices())) {}

  /// False if a message has no free path at all.
  bool strike_used(std::span<const double> prices) {
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      const std::uint32_t count = paths_.choice_count(messages_[m].endpoint);
      for (std::uint32_t c = 0; c < graph_.colours(); ++c) {
        const bool open = c < count && (!messages_[m].fixed || c == messages_[m].choice);
        if (!open || std::ranges::any_of(route(m, c), [&](LinkIndex link) { return prices[link] > 0; })) {
          graph_.list(m).reset(c);
        }
      }
      if (graph_.list(m).none()) return false;
    }
    return true;
  }

  void add_clashes() {
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> users(paths_.link_count());
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      for (std::uint32_t c = 0; c < graph_.colours(); ++c) {
        if (!graph_.list(m).test(c)) continue;
        for (const LinkIndex link : route(m, c)) {
          for (const auto& [other, choice] : users[link]) {
            if (other != m) graph_.add_clash(m, c, other, choice);
          }
          users[link].emplace_back(m, c);
        }
      }
    }
  }

  [[nodiscard]] Colouring colour(std::uint64_t budget) const { return colour_vertices(graph_, budget); }

 private:
  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t message, std::uint32_t choice) const {
    return paths_.route(messages_[message].leaf, messages_[message].endpoint, choice);
  }

  const JobPaths& paths_;
  std::span<const StepMessage> messages_;
  ClashGraph graph_;
};

}  // namespace

FreePaths free_paths(const JobPaths& paths, const LinkWeights& weights, std::span<const StepMessage> messages,
                     double time, std::span<const double> prices, std::uint64_t budget) {
  if (messages.empty()) return {Colouring::Outcome::found};
  for (LinkIndex link = 0; link < paths.link_count(); ++link) {
    if (prices[link] == 0 && capacity(time, weights[paths.port(link)]) != 1) return {};
  }
  const std::size_t choices = paths.max_choices();
  if (choices > max_colours || messages.size() * messages.size() * choices * sizeof(ColourSet) > max_clash_bytes) {
    return {};
  }
  FreePathGraph graph(paths, messages);
  if (!graph.strike_used(prices)) return {Colouring::Outcome::impossible};
  graph.add_clashes();
  const Colouring colouring = graph.colour(budget);
  return {colouring.outcome, {colouring.colour.begin(), colouring.colour.end()}};
}

}  // namespace ayatori
