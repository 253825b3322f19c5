#include "ayatori/exports/exports.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ayatori/infiniband/infiniband.hpp"
#include "ayatori/json/json.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "writers.hpp"

namespace ayatori {

namespace {

/// Some formats can say everything.
template <void (*write)(const Network&, const Sink&)>
Result<> always(const Network& network, const Sink& sink) {
  write(network, sink);
  return {};
}

constexpr std::array formats = {
    ExportFormat{"dot", "Graphviz", exports::write_dot},
    ExportFormat{"graphml", "NetworkX, Gephi, yEd, igraph", exports::write_graphml},
    ExportFormat{"ibnetdiscover", "what ibnetdiscover prints", always<write_ibnetdiscover>},
    ExportFormat{"ibsim", "ibsim's net file", always<write_ibnetdiscover>},
    ExportFormat{"json", "our own format, which loses nothing", write_json},
    ExportFormat{"scotch", "Scotch's target architecture", exports::write_scotch},
    ExportFormat{"simgrid", "SimGrid's platform file", exports::write_simgrid},
    ExportFormat{"slurm", "Slurm's topology.conf", write_slurm_conf},
    ExportFormat{"slurm-yaml", "Slurm's topology.yaml", write_slurm_yaml},
    ExportFormat{"svg", "a picture", exports::write_svg},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return formats; }

Result<> export_network(const Network& network, std::string_view format, const Sink& sink) {
  const auto found = std::ranges::find(formats, format, &ExportFormat::name);
  if (found != formats.end()) return found->write(network, sink);
  std::vector<std::string_view> names;
  for (const ExportFormat& known : formats) names.push_back(known.name);
  return with_hint(fail("no format '{}'", format), fmt::format("formats: {}", fmt::join(names, ", ")));
}

Result<> export_picture(const Network& network, const PictureMarks& marks, const Sink& sink) {
  return exports::write_marked_svg(network, marks, sink);
}

}  // namespace ayatori
