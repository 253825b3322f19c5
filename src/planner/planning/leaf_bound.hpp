#pragma once
/// \file
/// What no choice of paths can change. All messages that leave a leaf share the links out of it, and all messages that
/// enter it the links into it: its two *cuts*. Where cables are missing, some messages can use only some of these
/// links. Within a time T a link l carries ⌊T / weight(l)⌋ messages. If the messages of a cut can't be matched with its
/// links so that all of them are carried (Hall's theorem, for one leaf by itself), at least one link is busier than T.
/// With T = ideal(s) that link is a hot spot; the smallest T in which every cut carries its messages is a lower bound
/// of the time of the step.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "job_paths.hpp"

namespace ayatori {

struct StepBound {
  double ideal = 0;
  double time = 0;              ///< the step takes at least this long
  std::uint64_t hot_spots = 0;  ///< it has at least so many
};

/// Not for concurrent use: it remembers the step that begin() or of() was called for last.
class LeafBound {
 public:
  /// After `control` stops it, it bounds nothing.
  LeafBound(const Network& network, const JobEndpoints& endpoints, const JobPaths& paths, const LinkWeights& weights,
            const SearchControl& control = {});

  /// Takes the messages of a step, for too_many_for().
  void begin(std::span<const Message> messages);
  /// begin(), and the bound of the step.
  StepBound of(std::span<const Message> messages);

  /// Does this link belong to a cut that can't carry all the messages that the last step has for it?
  [[nodiscard]] bool too_many_for(LinkIndex link, double time) const;

  /// The next longer time in which some link carries more messages.
  [[nodiscard]] double next_time(double time) const;

 private:
  using Links = std::vector<LinkIndex>;

  /// The links out of a leaf, or into one.
  struct LeafCut {
    Links links;
    std::unordered_map<std::uint32_t, Links> links_for;  ///< by the other leaf, where these are fewer
    std::size_t fewest = 0;                              ///< links for one other leaf
    std::vector<std::uint32_t> others;                   ///< the other leaf of each message of the step

    [[nodiscard]] const Links& links_with(std::uint32_t other) const;
  };
  class Matching;

  void collect_links(const JobPaths& paths, const SearchControl& control);
  void collect_fewer_links(const JobPaths& paths, const SearchControl& control);
  static void add_fewer(LeafCut& cut, std::uint32_t other, Links links);
  [[nodiscard]] std::uint64_t room(const Links& links, double time) const;
  [[nodiscard]] bool carries(const LeafCut& cut, double time) const;
  [[nodiscard]] std::uint64_t hot_spots_at(double time) const;

  const JobEndpoints& endpoints_;
  IdealTime ideal_;
  std::vector<double> weight_;  // by link
  std::vector<double> different_weights_;
  std::vector<LeafCut> out_;  // by leaf
  std::vector<LeafCut> in_;
  std::vector<std::uint32_t> source_leaf_;       // by link: the leaf that it leads out of, or no_id
  std::vector<std::uint32_t> destination_leaf_;  // by link: the leaf that it leads into, or no_id
  // Scratch of Matching, by link: the messages that it carries, and the number of the search that saw it last.
  mutable std::vector<std::vector<std::uint32_t>> carried_;
  mutable std::vector<std::uint32_t> seen_;
  mutable std::uint32_t search_ = 0;
};

/// Sums over all steps, found on all cores. After `control` stops it, it bounds nothing.
struct JobBound {
  double time = 0;
  std::uint64_t hot_spots = 0;
  std::vector<StepBound> by_step;
};
[[nodiscard]] JobBound bound_of(const LeafBound& bound, const StepSequence& steps, const SearchControl& control = {});

}  // namespace ayatori
