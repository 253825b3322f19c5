#include "ayatori/tofu/tofu.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/topology/topology.hpp"
#include "view.hpp"

namespace ayatori {

namespace tofu {

namespace {

constexpr std::uint64_t max_points = std::uint64_t{1} << 32;

Failure wrong(std::string what) {
  return with_hint(fail("tofu: {}", what), "tofu:24x18x16x2x3x2,view=3d or tofu:job=4x6x16");
}

/// At most `max_points` in all, so that no product overflows later.
Result<std::vector<std::uint64_t>> parse_lengths(std::string_view text) {
  std::vector<std::uint64_t> lengths;
  std::uint64_t points = 12;
  for (const std::string_view part : split(text, 'x')) {
    const auto length = parse_unsigned<std::uint64_t>(part);
    if (!length || *length == 0) return wrong(fmt::format("expected lengths like 24x18x16 instead of '{}'", text));
    if (*length > max_points / points) return with_code(wrong("more than 2^32 nodes"), EOVERFLOW);
    points *= *length;
    lengths.push_back(*length);
  }
  return lengths;
}

Result<> take_shape(std::string_view text, Description& description) {
  constexpr std::string_view job = "job=";
  if (text == "job") {
    return with_hint(fail("tofu: only the environment of the job has its shape (PJM_NODE_X, …)"), "tofu:job=4x6x16");
  }
  description.is_job = text.starts_with(job);
  const auto lengths = parse_lengths(description.is_job ? text.substr(job.size()) : text);
  if (!lengths) return Failure(lengths.error());
  description.lengths = *lengths;
  const std::size_t count = lengths->size();
  if (description.is_job) {
    if (count < 1 || count > 3) return wrong("a job has 1 to 3 dimensions");
    return {};
  }
  const bool all_six = count == 6 && (*lengths)[3] == 2 && (*lengths)[4] == 3 && (*lengths)[5] == 2;
  if (count != 3 && !all_six) return wrong("expected XxYxZ or XxYxZx2x3x2: groups have 2x3x2 nodes");
  description.lengths.resize(3);
  return {};
}

Result<> take_option(std::string_view key, std::string_view value, Description& description) {
  if (key == "view" && !description.is_job) {
    constexpr std::array<std::string_view, 4> views = {"physical", "3d", "2d", "1d"};
    const auto view = std::ranges::find(views, value);
    if (view == views.end()) return wrong(fmt::format("expected view=3d, 2d, 1d or physical instead of '{}'", value));
    description.view = static_cast<View>(view - views.begin());
    return {};
  }
  if (key == "rate") {
    const auto rate = parse_link_rate(value);
    if (!rate) return wrong(fmt::format("expected a rate like 5GB/s instead of '{}'", value));
    description.rate = *rate;
    return {};
  }
  if (key == "x" || key == "y" || key == "z") {
    const auto axis = static_cast<std::size_t>(key.front() - 'x');
    if (axis >= description.lengths.size()) return wrong(fmt::format("there is no dimension {}", key));
    if (value != "mesh" && value != "torus") return wrong(fmt::format("expected {}=mesh or {}=torus", key, key));
    description.closed[axis] = value == "torus";
    return {};
  }
  return wrong(fmt::format("expected view, x, y, z or rate instead of '{}'", key));
}

/// Routers are added first, so that their handles are the points of the grid; the NICs follow in the same order.
Result<Network> explicit_network(const GridFormula& formula) {
  const TopologyPtr grid = make_grid_topology(formula);
  const std::uint64_t points = grid->machine_count();
  GridFormula coordinates = formula;
  coordinates.name = nullptr;
  const TopologyPtr names = make_grid_topology(std::move(coordinates));
  NetworkBuilder builder;
  builder.begin_plane(formula.plane);
  builder.set_direct();
  builder.set_grid({formula.dimensions, formula.periodic});
  const auto ports = static_cast<PortNumber>(1 + 2 * formula.dimensions.size());
  for (std::uint64_t point = 0; point < points; ++point) {
    builder.add_router(fmt::format("R{}", names->name(point).substr(1)), 0, ports);
  }
  for (std::uint64_t point = 0; point < points; ++point) {
    const std::string name = grid->name(point);
    const auto router = static_cast<NetworkBuilder::Handle>(point);
    const auto nic = builder.add_nic(name, 0, 1, name, 0);
    if (auto plugged = builder.connect(nic, 1, router, 1, formula.rate); !plugged) return Failure(plugged.error());
    for (std::uint32_t i = 0; i < grid->link_count(point); ++i) {
      const TopologyLink link = grid->link(point, i);
      auto cabled =
          builder.connect(router, static_cast<PortNumber>(link.from_port), static_cast<NetworkBuilder::Handle>(link.to),
                          static_cast<PortNumber>(link.to_port), link.rate, link.latency);
      if (!cabled) return Failure(cabled.error());
    }
  }
  return builder.build();
}

std::string job_shape(const char* (*variable)(const char* name), std::string_view prefix) {
  std::string shape;
  for (const char axis : {'X', 'Y', 'Z'}) {
    const char* value = variable(fmt::format("{}{}", prefix, axis).c_str());
    if (value == nullptr || *value == '\0') break;
    const auto length = parse_unsigned<std::uint32_t>(value);
    if (!length || *length == 0) return "";
    shape += fmt::format("{}{}", shape.empty() ? "" : "x", *length);
  }
  return shape;
}

}  // namespace

Result<Description> parse(std::string_view text) {
  Description description;
  description.rate = *parse_link_rate("5GB/s");
  const auto parts = split(text, ',');
  if (parts.empty()) return wrong("expected lengths like 24x18x16");
  if (auto taken = take_shape(parts.front(), description); !taken) return Failure(taken.error());
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (auto taken = take_option(part.substr(0, equals), value, description); !taken) return Failure(taken.error());
  }
  return description;
}

}  // namespace tofu

Result<Network> open_tofu(std::string_view rest) {
  const auto description = tofu::parse(rest);
  if (!description) return Failure(description.error());
  const GridFormula formula = tofu::formula_of(*description);
  std::uint64_t points = 1;
  for (const std::uint32_t length : formula.dimensions) points *= length;
  constexpr std::uint64_t max_nodes = std::uint64_t{1} << 24;
  if (points > max_nodes / 2) {
    auto too_large =
        tofu::wrong(fmt::format("{} machines and their routers; the maximum is {} nodes", points, max_nodes));
    return with_code(std::move(too_large), EOVERFLOW);
  }
  return tofu::explicit_network(formula);
}

Result<std::optional<GridFormula>> tofu_formula(std::string_view rest, bool physical_view) {
  auto description = tofu::parse(rest);
  if (!description) return Failure(description.error());
  if (physical_view && description->is_job) {
    return tofu::wrong("the shape of a job does not say where in the six dimensions it lies");
  }
  if (physical_view) description->view = tofu::View::physical;
  return tofu::formula_of(*description);
}

std::string tofu_job(const char* (*variable)(const char* name)) {
  for (const char* prefix : {"PJM_NODE_", "PJM_MPI_SHAPE_"}) {
    const std::string shape = tofu::job_shape(variable, prefix);
    if (!shape.empty()) return "job=" + shape;
  }
  return "";
}

}  // namespace ayatori
