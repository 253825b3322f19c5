#pragma once
/// \file
/// The routes that the messages of a job can take, found by following the forwarding tables: nothing is assumed about
/// who made the tables or how they number paths.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// A directed link between routers that some message of the job may use, numbered from 0.
using LinkIndex = std::uint32_t;

/// The *choices* of an endpoint are those of its LIDs by which all leaves of its plane (its own, too) reach it, without
/// LIDs whose routes from all leaves are those of a lower LID. A *route* is the links between routers that a message
/// takes from a leaf to an endpoint by a choice. The cables of the endpoints are not in it: every choice shares them.
class JobPaths {
 public:
  /// Takes memory for one number per route and one per link of a route. After `control` stops it, the remaining
  /// endpoints get one choice each. Errors: an endpoint without a LID; an endpoint that cannot be reached by any of its
  /// LIDs.
  [[nodiscard]] static Result<JobPaths> traced(const Network& network, const Routes& routes,
                                               const JobEndpoints& endpoints, const SearchControl& control = {});

  [[nodiscard]] std::uint32_t choice_count(std::uint32_t endpoint) const {
    return first_choice_[endpoint + 1] - first_choice_[endpoint];
  }
  /// The LID of a choice minus the base LID.
  [[nodiscard]] std::uint8_t path_bits(std::uint32_t endpoint, std::uint32_t choice) const {
    return path_bits_[first_choice_[endpoint] + choice];
  }
  /// The choice with these path bits, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> choice_with(std::uint32_t endpoint, std::uint8_t bits) const;
  /// The links in order. Empty within a leaf and between planes.
  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t leaf, std::uint32_t endpoint,
                                                 std::uint32_t choice) const {
    const std::size_t route = (std::size_t{first_choice_[endpoint]} + choice) * leaf_count_ + leaf;
    const std::size_t begin = route == 0 ? 0 : route_end_[route - 1];
    return {links_.data() + begin, route_end_[route] - begin};
  }

  [[nodiscard]] std::uint32_t endpoint_count() const { return static_cast<std::uint32_t>(first_choice_.size() - 1); }
  [[nodiscard]] std::uint32_t leaf_count() const { return leaf_count_; }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(port_of_link_.size()); }
  [[nodiscard]] PortId port(LinkIndex link) const { return port_of_link_[link]; }
  [[nodiscard]] std::uint32_t max_choices() const;

  /// The choice that leaves the leaves by their lowest ports: where tables number the paths of all destinations in one
  /// order but begin with others of them, the first path of that order.
  [[nodiscard]] std::uint32_t lowest_choice(const Network& network, std::uint32_t endpoint) const;

 private:
  friend class PathTracer;

  std::uint32_t leaf_count_ = 0;
  std::vector<std::uint32_t> first_choice_;  // by endpoint, and the end
  std::vector<std::uint8_t> path_bits_;      // by choice
  std::vector<std::size_t> route_end_;       // choice-major, then by leaf: into links_
  std::vector<LinkIndex> links_;
  std::vector<PortId> port_of_link_;
};

}  // namespace ayatori
