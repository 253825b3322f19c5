#pragma once
/// \file
/// One port's line of ibnetdiscover's default output.

#include <expected>
#include <string_view>

#include "subnet.hpp"

namespace ayatori {

struct PortLine {
  ReportedEnd end;        ///< without what the line does not have: its number, and the indices of the nodes
  std::string_view peer;  ///< the neighbour's id
};

/// The first place where a line does not follow the grammar.
struct Mismatch {
  std::string_view what;  ///< what was expected
  std::string_view found;
};

/// Reads one line. A switch's line has the neighbour's LID only; the lines of other nodes have the port's own LID and
/// LMC before it.
[[nodiscard]] std::expected<PortLine, Mismatch> read_port_line(std::string_view line, bool is_router);

}  // namespace ayatori
