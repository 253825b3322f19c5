#pragma once
/// \file
/// What all steps of a job ask of the network, as far as the choice of one path per destination depends on it.

#include <span>
#include <vector>

#include "ayatori/contention/job_endpoints.hpp"

namespace ayatori {

/// The messages of a step that go from one leaf to one endpoint of another leaf.
struct Demand {
  std::uint32_t step = 0;
  std::uint32_t leaf = 0;
  std::uint32_t endpoint = 0;
  std::uint32_t messages = 0;  ///< how many
};

class JobDemands {
 public:
  JobDemands(const Network& network, const JobEndpoints& endpoints, const LinkWeights& weights,
             const StepSequence& steps);

  [[nodiscard]] std::uint32_t step_count() const { return static_cast<std::uint32_t>(ideal_.size()); }
  [[nodiscard]] std::span<const Demand> of_step(std::uint32_t step) const {
    return {demands_.data() + first_of_step_[step], first_of_step_[step + 1] - first_of_step_[step]};
  }
  /// Numbers of the demands for an endpoint, as demand() takes them.
  [[nodiscard]] std::span<const std::uint32_t> of_endpoint(std::uint32_t endpoint) const {
    return {by_endpoint_.data() + first_of_endpoint_[endpoint],
            first_of_endpoint_[endpoint + 1] - first_of_endpoint_[endpoint]};
  }
  [[nodiscard]] const Demand& demand(std::uint32_t number) const { return demands_[number]; }
  /// ideal(s) of contention.hpp.
  [[nodiscard]] double ideal(std::uint32_t step) const { return ideal_[step]; }

 private:
  void add_step(const JobEndpoints& endpoints, std::span<const Message> messages);
  void index_by_endpoint(std::uint32_t endpoint_count);

  std::vector<Demand> demands_;  // by step, then leaf, then endpoint
  std::vector<std::size_t> first_of_step_ = {0};
  std::vector<std::uint32_t> by_endpoint_;
  std::vector<std::size_t> first_of_endpoint_;
  std::vector<double> ideal_;
};

}  // namespace ayatori
