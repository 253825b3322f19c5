#include "job_demands.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

JobDemands::JobDemands(const Network& network, const JobEndpoints& endpoints, const LinkWeights& weights,
                       const StepSequence& steps) {
  IdealTime ideal(network, endpoints, weights);
  std::vector<Message> messages;
  for (std::size_t step = 0; step < steps.step_count(); ++step) {
    steps.step(step, messages);
    add_step(endpoints, messages);
    ideal_.push_back(ideal.of(messages));
    first_of_step_.push_back(demands_.size());
  }
  index_by_endpoint(endpoints.endpoint_count());
}

void JobDemands::add_step(const JobEndpoints& endpoints, std::span<const Message> messages) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> leaf_and_endpoint;
  for (const Message& m : messages) {
    if (endpoints.crosses_leaves(m))
      leaf_and_endpoint.emplace_back(endpoints.leaf(endpoints.endpoint_of(m.from)), endpoints.endpoint_of(m.to));
  }
  std::sort(leaf_and_endpoint.begin(), leaf_and_endpoint.end());
  for (std::size_t i = 0; i < leaf_and_endpoint.size(); ++i) {
    const auto [leaf, endpoint] = leaf_and_endpoint[i];
    if (i != 0 && leaf_and_endpoint[i] == leaf_and_endpoint[i - 1]) {
      ++demands_.back().messages;
    } else {
      demands_.push_back({step_count(), leaf, endpoint, 1});
    }
  }
}

void JobDemands::index_by_endpoint(std::uint32_t endpoint_count) {
  first_of_endpoint_.assign(endpoint_count + 1U, 0);
  for (const Demand& demand : demands_) ++first_of_endpoint_[demand.endpoint + 1];
  for (std::uint32_t endpoint = 0; endpoint < endpoint_count; ++endpoint)
    first_of_endpoint_[endpoint + 1] += first_of_endpoint_[endpoint];
  by_endpoint_.resize(demands_.size());
  auto next = first_of_endpoint_;
  for (std::uint32_t d = 0; d < demands_.size(); ++d) by_endpoint_[next[demands_[d].endpoint]++] = d;
}

}  // namespace ayatori
