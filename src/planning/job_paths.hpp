#pragma once
/// \file
/// The ways that a job's messages can go, read off the tables by following them: nothing is assumed about who made
/// the tables or how they number paths.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// A directed link between routers that some message of the job may use, numbered from 0.
using LinkIndex = std::uint32_t;

/// A node's *choices* are those of its LIDs that all sites of its plane (its own too) reach it by, without those that
/// take the same links from everywhere as a lower one. A *route* is what a message takes from a site to a node by a
/// choice: its links between routers, without the endpoints' own cables, which every choice shares.
class JobPaths {
 public:
  /// Memory: one number a route and link of a route. Error: an endpoint without LID, or that none of its LIDs leads to.
  [[nodiscard]] static Result<JobPaths> traced(const Network& network, const Routes& routes, const JobEndpoints& nodes);

  [[nodiscard]] std::uint32_t choice_count(std::uint32_t node) const {
    return first_choice_[node + 1] - first_choice_[node];
  }
  /// LID minus base LID.
  [[nodiscard]] std::uint8_t path_bits(std::uint32_t node, std::uint32_t choice) const {
    return path_bits_[first_choice_[node] + choice];
  }
  /// Empty within a site and between planes.
  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t site, std::uint32_t node, std::uint32_t choice) const {
    const std::size_t route = (std::size_t{first_choice_[node]} + choice) * site_count_ + site;
    const std::size_t begin = route == 0 ? 0 : route_end_[route - 1];
    return {links_.data() + begin, route_end_[route] - begin};
  }

  [[nodiscard]] std::uint32_t node_count() const { return static_cast<std::uint32_t>(first_choice_.size() - 1); }
  [[nodiscard]] std::uint32_t site_count() const { return site_count_; }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(port_of_link_.size()); }
  [[nodiscard]] PortId port(LinkIndex link) const { return port_of_link_[link]; }
  [[nodiscard]] std::uint32_t max_choices() const;

 private:
  friend class PathTracer;

  std::uint32_t site_count_ = 0;
  std::vector<std::uint32_t> first_choice_;  // by node, and one behind the last
  std::vector<std::uint8_t> path_bits_;      // by choice
  std::vector<std::size_t> route_end_;       // choice-major, then by site: into links_
  std::vector<LinkIndex> links_;
  std::vector<PortId> port_of_link_;
};

}  // namespace ayatori
