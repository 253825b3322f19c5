#pragma once
/// \file
/// The links between routers that the messages of a job take on the paths of a plan, by pairs of endpoints.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Where the plan has one path a destination, endpoints of a leaf share their links, and these are stored once.
class PairLinks {
 public:
  using Link = std::uint32_t;  ///< a directed link between routers that some message takes, numbered from 0

  /// Errors: those of measure_contention().
  [[nodiscard]] static Result<PairLinks> traced(const Network& network, const Routes& routes,
                                                std::span<const PortId> ports_of_ranks, const Plan& plan,
                                                const JobEndpoints& endpoints, const LinkWeights& weights);

  /// The links from one endpoint to another. Empty within a leaf or a machine.
  [[nodiscard]] std::span<const Link> of(std::uint32_t from, std::uint32_t to) const {
    if (machine_[from] == machine_[to]) return {};
    return of_row(row_[from], to);
  }

  /// Rows are sets of consecutive endpoints whose links are the same: those of a leaf, or each by itself.
  [[nodiscard]] std::uint32_t row_count() const { return rows_; }
  [[nodiscard]] std::uint32_t row(std::uint32_t endpoint) const { return row_[endpoint]; }
  [[nodiscard]] std::span<const Link> of_row(std::uint32_t row, std::uint32_t to) const {
    const std::size_t at = std::size_t{to} * rows_ + row;
    return {links_.data() + begin_[at], begin_[at + 1] - begin_[at]};
  }

  [[nodiscard]] std::uint32_t endpoint_count() const { return static_cast<std::uint32_t>(row_.size()); }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(port_.size()); }
  [[nodiscard]] PortId port(Link link) const { return port_[link]; }
  [[nodiscard]] MachineId machine(std::uint32_t endpoint) const { return machine_[endpoint]; }
  /// How many messages the link carries in the time that one takes on an endpoint's cable; at least 1.
  [[nodiscard]] std::uint32_t capacity(Link link) const { return capacity_[link]; }

 private:
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> row_;  // by endpoint
  std::vector<MachineId> machine_;  // by endpoint
  std::vector<std::size_t> begin_;  // by destination and row: into links_
  std::vector<Link> links_;         // of all routes
  std::vector<PortId> port_;        // by link
  std::vector<std::uint32_t> capacity_;
};

}  // namespace ayatori
