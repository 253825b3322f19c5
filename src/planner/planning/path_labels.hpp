#pragma once
/// \file
/// Labels for paths that mean the same at all routers.
///
/// In a regular fat tree a packet that climbs from its leaf by the cable to root r also descends by r: the climbing
/// link of one leaf and the descending links into all others belong together. Links that some route uses at the same
/// height, one on the way up and one on the way down, get the same label, found by union-find. If no router
/// has two cables with one label, equal labels are what *colour* means in a colouring: at a router, messages with
/// different labels never share a link. With three levels there is a label per height: the first says which middle
/// router, the second which root above it.

#include <cstdint>
#include <vector>

#include "job_paths.hpp"

namespace ayatori {

using Label = std::uint16_t;

class PathLabels {
 public:
  PathLabels(const Network& network, const JobPaths& paths);

  /// False if the tables mix labels, as they may where cables are missing: labels are then meaningless.
  [[nodiscard]] bool consistent() const { return consistent_; }

  /// The label of a link: numbers from 0, in the order in which the LIDs of the first endpoints use them, from the one
  /// by the lowest ports on (JobPaths::lowest_choice), counted anew for each group of routers that exchange messages at
  /// this height.
  [[nodiscard]] Label of(LinkIndex link) const { return label_[link]; }

  /// The number of labels at a height (0: the leaves), in the group that has most; 0 above the last height.
  [[nodiscard]] std::uint32_t count(std::size_t height) const { return height < counts_.size() ? counts_[height] : 0; }
  /// How many links routes climb at most: levels − 1.
  [[nodiscard]] std::size_t heights() const { return counts_.size(); }

 private:
  bool consistent_ = true;
  std::vector<Label> label_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace ayatori
