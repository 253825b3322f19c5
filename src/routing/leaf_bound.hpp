#pragma once
/// \file
/// What no choice of paths can change: the messages that leave a site share its links up, and those that enter it
/// share its links down. If time T is too short for them,
///
///     messages  >  Σ over the site's links l of ⌊T / weight(l)⌋,
///
/// then at least one of these links is busier than T. With T = ideal(s) that is a hot spot for sure; the smallest T
/// that is long enough for every site bounds the step's time from below.

#include <span>
#include <vector>

#include "job_nodes.hpp"
#include "job_paths.hpp"

namespace ayatori {

struct StepBound {
  double ideal = 0;
  double time = 0;              ///< the step takes at least this long
  std::uint64_t hot_spots = 0;  ///< it has at least so many
};

/// Not for concurrent use: it remembers the step that it saw last.
class LeafBound {
 public:
  LeafBound(const Network& network, const JobNodes& nodes, const JobPaths& paths, const LinkWeights& weights);

  StepBound of(std::span<const Message> messages);

  /// Does this link belong to a site whose messages of the step seen last can't all pass within `time`?
  [[nodiscard]] bool too_many_for(LinkIndex link, double time) const;

  /// The next longer time in which some link carries more messages.
  [[nodiscard]] double next_time(double time) const;

 private:
  /// One direction of the traffic of all sites.
  struct Direction {
    std::vector<std::vector<LinkIndex>> links;  ///< by site
    std::vector<std::uint32_t> site_of_link;
    std::vector<std::uint32_t> messages;  ///< by site

    void add(std::uint32_t site, LinkIndex link);
  };

  [[nodiscard]] bool overflows(const Direction& direction, std::uint32_t site, double time) const;
  [[nodiscard]] double time_needed(const Direction& direction, std::uint32_t site, double at_least) const;
  [[nodiscard]] std::uint64_t overflowing_sites(const Direction& direction, double time) const;
  void count(std::span<const Message> messages);

  const JobNodes& nodes_;
  IdealTime ideal_;
  std::vector<double> weight_;  // by link index
  std::vector<double> different_weights_;
  Direction out_;
  Direction in_;
  bool neighbours_ = false;  // some link joins two sites: it is one's link out and the other's link in
};

/// Sums over all steps.
struct JobBound {
  double time = 0;
  std::uint64_t hot_spots = 0;
};
[[nodiscard]] JobBound bound_of(LeafBound& bound, const StepSequence& steps);

}  // namespace ayatori
