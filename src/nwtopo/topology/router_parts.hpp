#pragma once
/// \file
/// The routers of a Topology by dense numbers, and those that cables join to one part.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Routers, also those that are built into machines, and the links between them that are up. Numbers go by rising id.
class UpRouters {
 public:
  explicit UpRouters(const Topology& topology);

  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  [[nodiscard]] ObjectId id(std::uint32_t router) const { return ids_[router]; }
  [[nodiscard]] std::uint32_t height(std::uint32_t router) const { return heights_[router]; }
  /// Nothing for what is not a router.
  [[nodiscard]] std::optional<std::uint32_t> number_of(ObjectId id) const;
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::uint32_t router) const {
    return std::span(neighbours_).subspan(first_[router], first_[router + 1] - first_[router]);
  }
  /// The part that a router belongs to; parts are numbered from 0.
  [[nodiscard]] std::uint32_t part(std::uint32_t router) const { return parts_[router]; }
  [[nodiscard]] std::uint32_t part_count() const { return part_count_; }

 private:
  void number_parts();

  std::vector<ObjectId> ids_;
  std::vector<std::uint32_t> heights_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> parts_;
  std::uint32_t part_count_ = 0;
};

/// Machines that are cabled to the same routers of a part.
struct MachineGroup {
  std::vector<std::uint32_t> routers;  ///< rising
  std::uint32_t machines = 0;
};

/// Marks the routers on shortest paths between machines of a tree, if it is regular enough to tell by its levels (see
/// routers_between). False: it is not, and nothing was marked. `routers`: those of the part.
[[nodiscard]] bool mark_between_in_tree(const UpRouters& all, std::span<const std::uint32_t> routers,
                                        std::span<const MachineGroup> groups, std::vector<bool>& marked);

/// Marks the routers on a shortest path from one group to another. `routers`: those of the part.
void mark_between(const UpRouters& all, std::span<const std::uint32_t> routers, std::span<const MachineGroup> groups,
                  std::vector<bool>& marked);

}  // namespace ayatori
