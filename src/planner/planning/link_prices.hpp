#pragma once
/// \file
/// Prices of links for the paths of a job, from the footprints of concurrent jobs.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "ayatori/contention/footprint.hpp"
#include "ayatori/network/network.hpp"
#include "job_paths.hpp"
#include "step_paths.hpp"

namespace ayatori {

/// p(l) of plan_concurrent.hpp, by PortId.
[[nodiscard]] std::vector<double> shares_of(const Network& network, std::span<const Footprint> footprints);

/// The link conflicts per step (plan_concurrent.hpp) of a job with this footprint.
struct Conflicts {
  double between_routers = 0;
  double on_cables = 0;  ///< of NICs: the same with every plan

  [[nodiscard]] double all() const { return between_routers + on_cables; }
};
[[nodiscard]] Conflicts conflicts_of(const Network& network, const Footprint& job, std::span<const Footprint> others);

/// Prices of links for one step. With P_k(l) how likely k others or more use link l at one moment, and w_k how likely
/// no link of the step has so many, which would make its delay longer anyway, a link costs Σ_k w_k · P_k(l): about what
/// it adds to the expected time of the step, which is that of its busiest link. In addition, a step pays `first_use`
/// for a link that no other step of the job uses, less for one that several use, and a little for each top router, more
/// for those that others use more: so the steps of a job use the same few links.
class LinkPrices {
 public:
  static constexpr double least_weight = 0.05;  ///< of w_k: fewer conflicts are better on occupied links, too

  /// `extra` (by PortId, or empty) is added to the price of each link.
  LinkPrices(const Network& network, const JobPaths& paths, std::span<const Footprint> others,
             std::span<const double> extra = {});

  /// Notes (sign 1) or forgets (-1) that a step of the job has these paths.
  void add_step(const JobPaths& paths, std::span<const StepMessage> messages, int sign);

  /// p(l) alone, by link.
  [[nodiscard]] const std::vector<double>& share_of_others() const { return share_of_others_; }

  /// w_k of a step with these paths.
  [[nodiscard]] LinkOccupancy weights(const JobPaths& paths, std::span<const StepMessage> messages) const;

  [[nodiscard]] std::vector<double> of_step(double first_use, const LinkOccupancy& weights) const;

 private:
  void prefer_quiet_tops(const Network& network, const JobPaths& paths);

  std::vector<double> share_of_others_;   // by link: p(l)
  std::vector<LinkOccupancy> occupancy_;  // by link: P_k(l)
  std::vector<double> extra_;             // by link
  std::vector<double> preference_;        // by link
  std::vector<std::int64_t> used_;        // by link: steps that use it
  std::vector<LinkIndex> touched_;
};

}  // namespace ayatori
