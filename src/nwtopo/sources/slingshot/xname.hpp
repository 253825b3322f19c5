#pragma once
/// \file
/// Component names of HPE Cray systems.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// A chassis: x1000c0.
struct Chassis {
  std::uint32_t cabinet = 0;
  std::uint32_t chassis = 0;

  friend auto operator<=>(const Chassis&, const Chassis&) = default;
};

/// A node (x1000c0s0b0n0) or switch (x1000c0r1), or an end of a cable on one.
struct Xname {
  enum class Kind : std::uint8_t { node, nic, router, port };

  Kind kind = Kind::node;
  Chassis chassis;
  std::string device;     ///< the node's or switch's own name, without NIC, port or controller
  std::uint16_t nic = 0;  ///< h of a NIC
  PortNumber port = 0;    ///< of a port: see slingshot.hpp

  [[nodiscard]] bool is_node() const { return kind == Kind::node || kind == Kind::nic; }
};

/// Returns nothing for other words.
[[nodiscard]] std::optional<Xname> parse_xname(std::string_view word);

}  // namespace ayatori
