#pragma once
/// \file
/// A lower bound of the link conflicts of a step, whatever its paths. Every leaf needs links for the messages that
/// leave it and for those that enter it, as many as they fill in the step's time. Its cheapest links are a lower bound.
/// The bounds of all leaves add up, as no link leaves two leaves or enters two.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/contention/job_endpoints.hpp"
#include "job_paths.hpp"
#include "step_paths.hpp"

namespace ayatori {

class ConflictBound {
 public:
  /// `share_of_others` is p(l) of plan_concurrent.hpp, by link.
  ConflictBound(const JobEndpoints& endpoints, const JobPaths& paths, const LinkWeights& weights,
                std::span<const double> share_of_others);

  /// Σ p(l) over the links that these messages use, at least.
  [[nodiscard]] double of_step(std::span<const StepMessage> messages, double time);

  /// The smallest p(l) that is not 0; 0 if there is none.
  [[nodiscard]] double least_price() const { return least_price_; }

 private:
  struct Cut {
    std::vector<LinkIndex> links;
    std::uint32_t messages = 0;  ///< of the step
  };
  [[nodiscard]] double of_cut(const Cut& cut, double time);

  std::vector<double> share_of_others_;  // by link
  std::vector<double> weight_;
  const JobEndpoints& endpoints_;
  std::vector<Cut> out_;  // by leaf
  std::vector<Cut> in_;   // by leaf
  std::vector<std::pair<double, std::uint32_t>> offers_;
  double least_price_ = 0;
  bool cuts_overlap_ = false;  // a link leaves one leaf and enters another
};

}  // namespace ayatori
