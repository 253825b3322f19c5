#pragma once
/// \file
/// Labels for paths that mean the same at all routers.
///
/// In a regular fat tree a packet that climbs from its leaf by the cable to root r also descends by r: the climbing
/// link of one leaf and the descending links into all others belong together. If one route climbs by a link and
/// descends by another at the same height, union-find gives both links the same label. If no router has two cables with
/// one label, labels are the colours of an edge colouring: at a router, messages with different labels never share a
/// link. With three levels there is a label per height: the first says which middle router, the second which root above
/// it.

#include <cstdint>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "job_paths.hpp"

namespace ayatori {

using Label = std::uint16_t;

class PathLabels {
 public:
  PathLabels(const Network& network, const JobPaths& paths, const SearchControl& control);

  /// False if the tables mix labels, as they may where cables are missing, or if `control` stopped the search for them:
  /// labels are then meaningless.
  [[nodiscard]] bool consistent() const { return consistent_; }

  /// The label of a link. Each group of routers that exchange messages at this height numbers its labels from 0. The
  /// order is that in which routes first use them: by endpoint, then by LID, starting with JobPaths::lowest_choice.
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
