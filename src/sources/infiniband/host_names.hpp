#pragma once
/// \file
/// From node descriptions to machines: which adapters sit in one host, and which of its rails each one is.

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

/// "a08-p1-dgx-04-c01 mlx5_5", "host HCA-1", "'host' (qib0)", "host". Not hosts: a card's model ("MT4129 ConnectX7
/// Mellanox Technologies"), and names that a machine has before anybody named it ("localhost", "(none)", "ubuntu").
[[nodiscard]] HostDevice parse_host(std::string_view description);

/// Reduction engines inside switches: "Mellanox Technologies Aggregation Node".
[[nodiscard]] bool describes_aggregation_node(std::string_view description);

struct Adapter {
  std::string_view description;
  Guid guid = 0;
};

struct Seat {
  std::string_view host;  ///< within the adapter's description; empty: unnamed
  std::uint16_t rail = 0;
};

/// Seats every adapter, in the order given. A rail is the rank of the device's number among all numbers of the fabric,
/// so that the same rail is the same role in every machine: devices {0, 1, 4, 5} are the rails 0 … 3.
/// Different machines are never merged: adapters that claim the same device of the same host are all unnamed, unless a
/// `host_pattern` (as in SourceOptions) says how hosts are read. Error: a pattern that is no regular expression, or
/// has no group.
[[nodiscard]] Result<std::vector<Seat>> seat_adapters(std::span<const Adapter> adapters, std::string_view host_pattern);

}  // namespace ayatori
