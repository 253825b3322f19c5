#pragma once
/// \file
/// One port's line of ibnetdiscover's default output.

#include <expected>
#include <string_view>

#include "subnet.hpp"

namespace ayatori {

struct PortLine {
  ReportedEnd end;        ///< without what the line does not tell: its number, and the indices of the nodes
  std::string_view peer;  ///< the neighbour's id
};

/// Where a line is not as it should be.
struct Mismatch {
  std::string_view what;  ///< was expected
  std::string_view found;
};

/// A router's line tells the neighbour's LID only, other nodes' lines tell the port's own LID and LMC before it.
[[nodiscard]] std::expected<PortLine, Mismatch> read_port_line(std::string_view line, bool is_router);

}  // namespace ayatori
