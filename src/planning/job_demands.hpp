#pragma once
/// \file
/// All steps of a job at once, as far as the choice of one path per destination is concerned.

#include <span>
#include <vector>

#include "ayatori/contention/job_endpoints.hpp"

namespace ayatori {

/// In a step, so many messages go from a site to a node elsewhere.
struct Demand {
  std::uint32_t step = 0;
  std::uint32_t site = 0;
  std::uint32_t node = 0;
  std::uint32_t messages = 0;
};

class JobDemands {
 public:
  JobDemands(const Network& network, const JobEndpoints& nodes, const LinkWeights& weights, const StepSequence& steps);

  [[nodiscard]] std::uint32_t step_count() const { return static_cast<std::uint32_t>(ideal_.size()); }
  [[nodiscard]] std::span<const Demand> of_step(std::uint32_t step) const {
    return {demands_.data() + first_of_step_[step], first_of_step_[step + 1] - first_of_step_[step]};
  }
  /// Numbers of the demands for a node, see demand().
  [[nodiscard]] std::span<const std::uint32_t> of_node(std::uint32_t node) const {
    return {by_node_.data() + first_of_node_[node], first_of_node_[node + 1] - first_of_node_[node]};
  }
  [[nodiscard]] const Demand& demand(std::uint32_t number) const { return demands_[number]; }
  /// ideal(s) of contention.hpp.
  [[nodiscard]] double ideal(std::uint32_t step) const { return ideal_[step]; }

 private:
  void add_step(const JobEndpoints& nodes, std::span<const Message> messages);
  void index_by_node(std::uint32_t node_count);

  std::vector<Demand> demands_;  // by step, then site, then node
  std::vector<std::size_t> first_of_step_ = {0};
  std::vector<std::uint32_t> by_node_;
  std::vector<std::size_t> first_of_node_;
  std::vector<double> ideal_;
};

}  // namespace ayatori
