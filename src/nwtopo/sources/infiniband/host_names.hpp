#pragma once
/// \file
/// Finds hosts in node descriptions: which adapters belong to one host, and on which rail each of them is.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// The name of an adapter within its host. "mlx5_5" is {5, "mlx5"}; "HCA-6" counts from 1 and is the same;
/// "ibp65s0f0" has no number.
struct DeviceName {
  std::optional<std::uint32_t> number;
  std::string_view family;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

struct HostDevice {
  std::string_view host;  ///< empty: the description names no host
  std::optional<DeviceName> device;
};

[[nodiscard]] std::optional<DeviceName> parse_device_name(std::string_view word);

/// Reads "a08-p1-dgx-04-c01 mlx5_5", "host HCA-1", "'host' (qib0)" and "host". A card's model ("MT4129 ConnectX7
/// Mellanox Technologies") and an installer's default name ("localhost", "(none)", "ubuntu") name no host.
[[nodiscard]] HostDevice parse_host(std::string_view description);

/// True for reduction engines inside switches: "Mellanox Technologies Aggregation Node".
[[nodiscard]] bool describes_aggregation_node(std::string_view description);

struct Adapter {
  std::string_view description;
  Guid guid = 0;
};

struct HostRail {
  std::string_view host;  ///< points into the adapter's description; empty: the host is not named
  std::uint16_t rail = 0;
};

/// Host and rail of every adapter, in the order given. A rail is the rank of the device's number among all device
/// numbers of the fabric, so that a rail has the same role in every machine: devices {0, 1, 4, 5} are the rails 0 … 3.
/// Different machines are never merged: if two adapters have the same device of the same host, all adapters of that
/// host are unnamed, unless a `host_pattern` (as in SourceOptions) says how to find hosts. Error: a pattern that is not
/// a valid regular expression, or that has no group.
[[nodiscard]] Result<std::vector<HostRail>> assign_hosts(std::span<const Adapter> adapters,
                                                         std::string_view host_pattern);

}  // namespace ayatori
