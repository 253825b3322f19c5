#pragma once
/// \file
/// Which UDP source port does a RoCE connection of a running program take by the plan of its job?

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "ayatori/artefacts/roce_plan_file.hpp"

namespace ayatori {

/// A GID, as verbs have it: 16 bytes in network order. That of RoCE version 2 is the IP address.
using GidBytes = std::array<std::uint8_t, 16>;

/// Immutable; safe to read from many threads.
class RocePorts {
 public:
  explicit RocePorts(RocePlanFile plan);

  /// nullopt: a GID that the plan does not have, or a port and itself.
  [[nodiscard]] std::optional<std::uint16_t> source_port(const GidBytes& from, const GidBytes& to) const;

 private:
  [[nodiscard]] std::optional<std::size_t> find(const GidBytes& gid) const;

  RocePlanFile plan_;
  std::map<IpAddress, std::size_t> port_of_address_;
};

}  // namespace ayatori
