#pragma once
/// \file
/// The loads of all links in all steps, kept up to date while a search changes the choices of endpoints.

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

  /// Bytes of memory that an object takes for so many steps.
  [[nodiscard]] static std::uint64_t memory(const JobPaths& paths, std::uint64_t steps);

  /// Takes all messages off all links.
  void clear();
  /// Puts the messages to all endpoints, or to one, on the links of these choices; take() takes them off.
  void put(const PathChoices& choices);
  void put(std::uint32_t endpoint, std::uint32_t choice);
  void take(std::uint32_t endpoint, std::uint32_t choice);

  /// Σ over the steps of time(s) of contention.hpp, for steps in which some message leaves its leaf.
  [[nodiscard]] double total_time() const;

  /// Cells with more messages than they carry in ideal(s), in no particular order.
  [[nodiscard]] const std::vector<Cell>& hot_spots() const { return hot_; }
  /// Σ over cells of e · (e + 1) / 2, where e is the number of messages beyond that. One message too many costs 1, two
  /// on one cell cost 3: hot spots that can't be avoided are spread.
  [[nodiscard]] std::uint64_t cost() const { return cost_; }
  /// What put() would add to cost(). A lower estimate where several demands for the endpoint share a cell.
  [[nodiscard]] std::uint64_t added_cost(std::uint32_t endpoint, std::uint32_t choice) const;

  /// The endpoints whose messages pass a cell with these choices.
  [[nodiscard]] std::vector<std::uint32_t> endpoints_at(Cell cell, const PathChoices& choices) const;

  /// How many loads were looked at so far: a measure of time that does not depend on the machine.
  [[nodiscard]] std::uint64_t effort() const { return effort_; }

 private:
  [[nodiscard]] std::uint64_t price(Cell cell, std::uint32_t load) const;
  template <typename Visit>
  void for_each_cell(std::uint32_t endpoint, std::uint32_t choice, Visit&& visit) const;
  void set_load(Cell cell, std::uint32_t load);
  void set_hot(Cell cell, bool hot);

  const JobPaths& paths_;
  const JobDemands& demands_;
  std::uint32_t link_count_;
  std::vector<double> weight_;       // by link
  std::vector<std::uint32_t> room_;  // by cell: messages that it carries in ideal(s)
  std::vector<std::uint32_t> load_;  // by cell
  std::vector<Cell> hot_;
  std::vector<std::uint32_t> place_in_hot_;  // by cell, no_id if not hot
  std::uint64_t cost_ = 0;
  mutable std::uint64_t effort_ = 0;
};

}  // namespace ayatori
