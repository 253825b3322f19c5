#pragma once
/// \file
/// Places the other way round: which ranks are on a node, which nodes in a group.

#include <span>
#include <vector>

#include "ayatori/schedule/places.hpp"

namespace ayatori {

/// Lists of items by the bin that each is in, in rising order.
class Bins {
 public:
  Bins() = default;
  Bins(std::span<const std::uint32_t> bin_of_item, std::uint32_t bins);
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t bin) const {
    return {items_.data() + first_[bin], items_.data() + first_[bin + 1]};
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(first_.size()) - 1; }
  [[nodiscard]] std::uint32_t largest() const { return largest_; }  ///< most items in one bin
  /// Position of an item in its bin.
  [[nodiscard]] std::uint32_t position(std::uint32_t item, std::uint32_t bin) const;

 private:
  std::vector<std::uint32_t> first_{0};
  std::vector<std::uint32_t> items_;
  std::uint32_t largest_ = 0;
};

class NodeRanks {
 public:
  explicit NodeRanks(const Places& places);

  [[nodiscard]] const Places& places() const { return places_; }
  [[nodiscard]] Rank rank_count() const { return static_cast<Rank>(places_.node.size()); }
  [[nodiscard]] std::uint32_t node_count() const { return places_.node_count(); }
  [[nodiscard]] std::uint32_t group_count() const { return by_group_.count(); }
  [[nodiscard]] std::uint32_t max_ranks() const { return by_node_.largest(); }   ///< on one node
  [[nodiscard]] std::uint32_t max_nodes() const { return by_group_.largest(); }  ///< in one group
  [[nodiscard]] std::uint32_t node(Rank rank) const { return places_.node[rank]; }
  [[nodiscard]] std::uint32_t group(std::uint32_t node) const { return places_.group[node]; }
  [[nodiscard]] std::span<const Rank> ranks(std::uint32_t node) const { return by_node_[node]; }
  [[nodiscard]] std::span<const std::uint32_t> nodes(std::uint32_t group) const { return by_group_[group]; }
  /// A rank's number among those of its node, and a node's among those of its group.
  [[nodiscard]] std::uint32_t local(Rank rank) const { return by_node_.position(rank, node(rank)); }
  [[nodiscard]] std::uint32_t local_node(std::uint32_t node) const { return by_group_.position(node, group(node)); }
  /// no_id if the node has fewer ranks.
  [[nodiscard]] Rank rank(std::uint32_t node, std::uint32_t local) const {
    return local < ranks(node).size() ? ranks(node)[local] : no_id;
  }
  /// The group's first gateway; its first node if it has none.
  [[nodiscard]] std::uint32_t gateway(std::uint32_t group) const;
  /// The node at a point of the places' grid.
  [[nodiscard]] std::uint32_t node_at(std::uint32_t point) const { return node_at_[point]; }
  /// Messages between groups can't start at every node.
  [[nodiscard]] bool needs_gateways() const;

 private:
  Places places_;
  Bins by_node_;
  Bins by_group_;
  std::vector<std::uint32_t> node_at_;
};

}  // namespace ayatori
