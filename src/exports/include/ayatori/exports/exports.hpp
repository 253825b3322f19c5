#pragma once
/// \file
/// A network in other programs' formats.

#include <span>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct ExportFormat {
  std::string_view name;   ///< "dot"
  std::string_view about;  ///< one line: what reads it
  Result<> (*write)(const Network& network, const Sink& sink);
};

/// dot, graphml, ibnetdiscover, ibsim, json, simgrid, slurm (topology.conf), slurm-yaml (topology.yaml), svg.
[[nodiscard]] std::span<const ExportFormat> export_formats();

/// Writes a network in a format.
/// \param format  a name among export_formats()
/// \param sink    is called with the text, piece by piece, and only when nothing can fail any more
/// Error: a format that is not known (the hint lists those that are), or one that cannot express this network.
[[nodiscard]] Result<> export_network(const Network& network, std::string_view format, const Sink& sink);

}  // namespace ayatori
