#pragma once
/// \file
/// Which UDP source port does a RoCE connection of a running program take by the plan of its job?

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ayatori/artefacts/roce_plan_file.hpp"

namespace ayatori {

/// A GID, as verbs have it: 16 bytes in network order.
using GidBytes = std::array<std::uint8_t, 16>;

/// The IPv4 address that a GID of RoCE version 2 maps (::ffff:10.0.0.1); nullopt for other GIDs.
[[nodiscard]] std::optional<std::uint32_t> ipv4_of(const GidBytes& gid);

/// Immutable; safe to read from many threads.
class RocePorts {
 public:
  explicit RocePorts(RocePlanFile plan);

  /// nullopt: a GID that the plan does not have, or a port and itself.
  [[nodiscard]] std::optional<std::uint16_t> source_port(const GidBytes& from, const GidBytes& to) const;

 private:
  [[nodiscard]] std::optional<std::size_t> find(const GidBytes& gid) const;

  RocePlanFile plan_;
  std::unordered_map<std::uint32_t, std::size_t> port_of_address_;
};

}  // namespace ayatori
