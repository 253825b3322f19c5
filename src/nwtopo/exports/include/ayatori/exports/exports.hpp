#pragma once
/// \file
/// A network in other programs' formats.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct ExportFormat {
  std::string_view name;   ///< "dot"
  std::string_view about;  ///< one line: what reads it
  Result<> (*write)(const Network& network, const Sink& sink);
};

/// What a picture shows in addition to the network.
struct PictureMarks {
  /// A job: its NICs are drawn in a colour of its own, which the legend names.
  struct Group {
    std::string name;
    std::vector<PortId> endpoints;
  };
  /// A directed link, drawn red: the wider and darker, the larger its share is relative to the largest one. The text
  /// appears when the link is pointed at, and below the picture if the link is among those with the largest shares.
  struct Link {
    PortId port = no_id;  ///< the port that it leaves
    std::string text;
    double share = 1;  ///< from 0 to 1
  };
  std::vector<Group> groups;
  std::vector<Link> links;
};

/// dot, graphml, ibnetdiscover, ibsim, json, scotch, simgrid, slurm (topology.conf), slurm-yaml (topology.yaml), svg.
[[nodiscard]] std::span<const ExportFormat> export_formats();

/// Writes a network in a format.
/// \param format  a name among export_formats()
/// \param sink    is called with the text, piece by piece, and only when nothing can fail any more
/// Error: a format that is not known (the hint lists those that are), or one that cannot express this network.
[[nodiscard]] Result<> export_network(const Network& network, std::string_view format, const Sink& sink);

/// The picture of the format "svg", with marks. Errors as for export_network.
[[nodiscard]] Result<> export_picture(const Network& network, const PictureMarks& marks, const Sink& sink);

}  // namespace ayatori
