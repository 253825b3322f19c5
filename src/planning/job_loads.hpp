#pragma once
/// \file
/// The loads of all links in all steps while nodes change their choices.

#include <cstdint>
#include <vector>

#include "job_demands.hpp"
#include "job_paths.hpp"
#include "plan_methods.hpp"

namespace ayatori {

class JobLoads {
 public:
  using Cell = std::uint32_t;  ///< (step, link)

  JobLoads(const JobPaths& paths, const JobDemands& demands, const LinkWeights& weights);

  /// Bytes that this takes for so many steps.
  [[nodiscard]] static std::uint64_t memory(const JobPaths& paths, std::uint64_t steps);

  void clear();
  void put(const NodeChoices& choices);
  void put(std::uint32_t node, std::uint32_t choice);
  void take(std::uint32_t node, std::uint32_t choice);

  /// Cells with more messages than they carry in ideal(s), in no particular order.
  [[nodiscard]] const std::vector<Cell>& hot_spots() const { return hot_; }
  /// Σ over cells of e · (e + 1) / 2, e the messages beyond that: a hot spot costs 1, a twice as bad one 3, so that
  /// what can't be avoided is spread.
  [[nodiscard]] std::uint64_t cost() const { return cost_; }
  /// What put() would add to cost(). A lower estimate where several demands for the node share a cell.
  [[nodiscard]] std::uint64_t added_cost(std::uint32_t node, std::uint32_t choice) const;

  /// Nodes whose messages, with these choices, pass a cell.
  [[nodiscard]] std::vector<std::uint32_t> nodes_at(Cell cell, const NodeChoices& choices) const;

  /// Loads looked at so far: what this object has cost in time.
  [[nodiscard]] std::uint64_t effort() const { return effort_; }

 private:
  [[nodiscard]] std::uint64_t price(Cell cell, std::uint32_t load) const;
  template <typename Visit>
  void for_each_cell(std::uint32_t node, std::uint32_t choice, Visit&& visit) const;
  void set_load(Cell cell, std::uint32_t load);
  void set_hot(Cell cell, bool hot);

  const JobPaths& paths_;
  const JobDemands& demands_;
  std::uint32_t link_count_;
  std::vector<std::uint32_t> room_;  // by cell: messages that it carries in ideal(s)
  std::vector<std::uint32_t> load_;  // by cell
  std::vector<Cell> hot_;
  std::vector<std::uint32_t> place_in_hot_;  // by cell, no_id if not hot
  std::uint64_t cost_ = 0;
  mutable std::uint64_t effort_ = 0;
};

}  // namespace ayatori
