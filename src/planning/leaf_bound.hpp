#pragma once
/// \file
/// What no choice of paths can change. All messages that leave a site share its links up, and all that enter it its
/// links down: its *ways* out and in. Where cables are missing, some of them can use only some of these links. Within a
/// time T a link l carries ⌊T / weight(l)⌋ messages. If the messages of a way can't be matched with its links so that
/// all of them are carried (Hall's theorem, for one leaf by itself), at least one link is busier than T. With T =
/// ideal(s) that is a hot spot for sure; the smallest T in which every way carries its messages bounds the step's time
/// from below.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ayatori/contention/job_endpoints.hpp"
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
  LeafBound(const Network& network, const JobEndpoints& nodes, const JobPaths& paths, const LinkWeights& weights);

  StepBound of(std::span<const Message> messages);

  /// Does this link belong to a way that can't carry as many messages as the step seen last has for it?
  [[nodiscard]] bool too_many_for(LinkIndex link, double time) const;

  /// The next longer time in which some link carries more messages.
  [[nodiscard]] double next_time(double time) const;

 private:
  using Links = std::vector<LinkIndex>;

  /// The links out of a site, or into one.
  struct Way {
    Links links;
    std::unordered_map<std::uint32_t, Links> links_for;  ///< by other site, where these are fewer
    std::size_t fewest = 0;                              ///< links for one other site
    std::vector<std::uint32_t> others;                   ///< the other site of each message of the step

    [[nodiscard]] const Links& links_with(std::uint32_t other) const;
  };
  class Matching;

  void collect_links(const JobPaths& paths);
  void collect_fewer_links(const JobPaths& paths);
  static void add_fewer(Way& way, std::uint32_t other, Links links);
  [[nodiscard]] std::uint64_t room(const Links& links, double time) const;
  [[nodiscard]] bool carries(const Way& way, double time) const;
  [[nodiscard]] std::uint64_t hot_spots_at(double time) const;

  const JobEndpoints& nodes_;
  IdealTime ideal_;
  std::vector<double> weight_;  // by link
  std::vector<double> different_weights_;
  std::vector<Way> out_;  // by site
  std::vector<Way> in_;
  std::vector<std::uint32_t> leaves_site_;  // by link; no_id if it leaves none
  std::vector<std::uint32_t> enters_site_;
};

/// Sums over all steps.
struct JobBound {
  double time = 0;
  std::uint64_t hot_spots = 0;
};
[[nodiscard]] JobBound bound_of(LeafBound& bound, const StepSequence& steps);

}  // namespace ayatori
