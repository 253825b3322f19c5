#include "job_demands.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

JobDemands::JobDemands(const Network& network, const JobEndpoints& nodes, const LinkWeights& weights,
                       const StepSequence& steps) {
  IdealTime ideal(network, nodes, weights);
  std::vector<Message> messages;
  for (std::size_t step = 0; step < steps.step_count(); ++step) {
    steps.step(step, messages);
    add_step(nodes, messages);
    ideal_.push_back(ideal.of(messages));
    first_of_step_.push_back(demands_.size());
  }
  index_by_node(nodes.node_count());
}

void JobDemands::add_step(const JobEndpoints& nodes, std::span<const Message> messages) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> site_and_node;
  for (const Message& m : messages) {
    if (nodes.leaves_site(m)) site_and_node.emplace_back(nodes.site(nodes.node_of(m.from)), nodes.node_of(m.to));
  }
  std::sort(site_and_node.begin(), site_and_node.end());
  for (std::size_t i = 0; i < site_and_node.size(); ++i) {
    const auto [site, node] = site_and_node[i];
    if (i != 0 && site_and_node[i] == site_and_node[i - 1]) {
      ++demands_.back().messages;
    } else {
      demands_.push_back({step_count(), site, node, 1});
    }
  }
}

void JobDemands::index_by_node(std::uint32_t node_count) {
  first_of_node_.assign(node_count + 1U, 0);
  for (const Demand& demand : demands_) ++first_of_node_[demand.node + 1];
  for (std::uint32_t node = 0; node < node_count; ++node) first_of_node_[node + 1] += first_of_node_[node];
  by_node_.resize(demands_.size());
  auto next = first_of_node_;
  for (std::uint32_t d = 0; d < demands_.size(); ++d) by_node_[next[demands_[d].node]++] = d;
}

}  // namespace ayatori
