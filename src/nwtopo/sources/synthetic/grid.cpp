#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/synthetic/synthetic.hpp"
#include "ayatori/topology/grid.hpp"
#include "formula.hpp"

namespace ayatori {

namespace {

/// How the routers of a row, which differ in one coordinate only, are cabled.
enum class Row : std::uint8_t { line, ring, full };

/// Routers at the points of a grid, the last coordinate running fastest. Ports: hosts first, then for each dimension
/// the neighbour above and the neighbour below, or, in full rows, the other routers by rising coordinate.
class Grid {
 public:
  Grid(std::vector<std::uint64_t> dimensions, Row row, std::uint64_t hosts, LinkRate rate)
      : dimensions_(std::move(dimensions)), row_(row), hosts_(hosts), rate_(rate) {}

  [[nodiscard]] Result<> check(const Formula& formula) const;
  [[nodiscard]] Result<Network> build() const;

 private:
  [[nodiscard]] std::uint64_t points() const;
  [[nodiscard]] std::uint64_t ports_along(std::size_t dimension) const;
  [[nodiscard]] std::uint64_t ports() const;
  [[nodiscard]] std::vector<std::uint64_t> coordinates(std::uint64_t point) const;
  [[nodiscard]] Result<> add_hosts(NetworkBuilder& builder, std::uint64_t point, const std::string& place) const;
  [[nodiscard]] Result<> cable_upwards(NetworkBuilder& builder, std::uint64_t point) const;
  [[nodiscard]] Result<> cable_to_all_above(NetworkBuilder& builder, std::uint64_t point) const;

  std::vector<std::uint64_t> dimensions_;
  Row row_;
  std::uint64_t hosts_;
  LinkRate rate_;
};

std::uint64_t Grid::points() const {
  std::uint64_t count = 1;
  for (const std::uint64_t length : dimensions_) count = saturating_product(count, length);
  return count;
}

std::uint64_t Grid::ports_along(std::size_t dimension) const {
  return row_ == Row::full ? dimensions_[dimension] - 1 : 2;
}

std::uint64_t Grid::ports() const {
  std::uint64_t count = hosts_;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) count = saturating_sum(count, ports_along(i));
  return count;
}

Result<> Grid::check(const Formula& formula) const {
  if (ports() > max_ports) {
    return formula.wrong(fmt::format("a router would need {} ports; the maximum is {}", ports(), max_ports));
  }
  Size size;
  size.add(points(), ports());
  size.add(saturating_product(points(), hosts_), 1);
  return size.check(formula);
}

std::vector<std::uint64_t> Grid::coordinates(std::uint64_t point) const {
  std::vector<std::uint64_t> found(dimensions_.size());
  for (std::size_t i = dimensions_.size(); i-- > 0; point /= dimensions_[i]) found[i] = point % dimensions_[i];
  return found;
}

Result<> Grid::add_hosts(NetworkBuilder& builder, std::uint64_t point, const std::string& place) const {
  for (std::uint64_t host = 0; host < hosts_; ++host) {
    const std::string name = hosts_ == 1 ? fmt::format("N{}", place) : fmt::format("N{}-{}", place, host);
    const auto nic = add_host_nic(builder, name, point * hosts_ + host, 1, 0);
    const auto router = static_cast<NetworkBuilder::Handle>(point);
    if (auto ok = builder.connect(nic, 1, router, static_cast<PortNumber>(1 + host), rate_); !ok) return ok;
  }
  return {};
}

Result<> Grid::cable_upwards(NetworkBuilder& builder, std::uint64_t point) const {
  const auto here = coordinates(point);
  std::uint64_t stride = 1;
  for (std::size_t i = dimensions_.size(); i-- > 0; stride *= dimensions_[i]) {
    const std::uint64_t length = dimensions_[i];
    const bool at_edge = here[i] + 1 == length;
    if (at_edge && (row_ == Row::line || length <= 2)) continue;
    const std::uint64_t neighbour = at_edge ? point - here[i] * stride : point + stride;
    const auto port_above = static_cast<PortNumber>(hosts_ + 2 * i + 1);
    auto ok =
        builder.connect(static_cast<NetworkBuilder::Handle>(point), port_above,
                        static_cast<NetworkBuilder::Handle>(neighbour), static_cast<PortNumber>(port_above + 1), rate_);
    if (!ok) return ok;
  }
  return {};
}

Result<> Grid::cable_to_all_above(NetworkBuilder& builder, std::uint64_t point) const {
  const auto here = coordinates(point);
  std::uint64_t stride = 1;
  std::uint64_t last_port = ports();
  for (std::size_t i = dimensions_.size(); i-- > 0; stride *= dimensions_[i]) {
    last_port -= ports_along(i);
    for (std::uint64_t there = here[i] + 1; there < dimensions_[i]; ++there) {
      // A router has no port towards itself: routers above it have a number one less than their coordinate.
      auto ok = builder.connect(static_cast<NetworkBuilder::Handle>(point), static_cast<PortNumber>(last_port + there),
                                static_cast<NetworkBuilder::Handle>(point + (there - here[i]) * stride),
                                static_cast<PortNumber>(last_port + here[i] + 1), rate_);
      if (!ok) return ok;
    }
  }
  return {};
}

Result<Network> Grid::build() const {
  NetworkBuilder builder;
  if (hosts_ == 1) builder.set_direct();
  if (row_ != Row::full) {
    builder.set_grid(
        {{dimensions_.begin(), dimensions_.end()}, std::vector<bool>(dimensions_.size(), row_ == Row::ring)});
  }
  std::vector<std::string> places;
  for (std::uint64_t point = 0; point < points(); ++point) {
    places.push_back(fmt::format("{}", fmt::join(coordinates(point), "-")));
    builder.add_router("R" + places.back(), router_guid(point), static_cast<PortNumber>(ports()));
  }
  for (std::uint64_t point = 0; point < points(); ++point) {
    if (auto ok = add_hosts(builder, point, places[point]); !ok) return Failure(ok.error());
    auto ok = row_ == Row::full ? cable_to_all_above(builder, point) : cable_upwards(builder, point);
    if (!ok) return Failure(ok.error());
  }
  return builder.build();
}

Result<std::vector<std::uint64_t>> parse_dimensions(const Formula& formula) {
  std::vector<std::uint64_t> dimensions;
  for (const std::string_view text : split(formula.shape(), 'x')) {
    const auto length = parse_unsigned<std::uint64_t>(text);
    if (!length || *length == 0) {
      return formula.wrong(fmt::format("expected lengths like 4x6x16 instead of '{}'", formula.shape()));
    }
    dimensions.push_back(*length);
  }
  if (dimensions.empty()) return formula.wrong("expected lengths like 4x6x16");
  return dimensions;
}

/// A hypercube is given by the number of its dimensions, each of length 2.
Result<std::vector<std::uint64_t>> parse_hypercube(const Formula& formula) {
  constexpr std::uint64_t max_dimensions = 32;
  const auto count = parse_unsigned<std::uint64_t>(formula.shape());
  if (!count || *count == 0 || *count > max_dimensions) {
    return formula.wrong(fmt::format("expected 1 to {} dimensions instead of '{}'", max_dimensions, formula.shape()));
  }
  return std::vector<std::uint64_t>(*count, 2);
}

/// One of the kinds of source that are grids.
struct GridKind {
  std::string_view name;
  std::string_view synopsis;
  Row row;
  Result<std::vector<std::uint64_t>> (*parse_shape)(const Formula&);
};

constexpr GridKind torus = {"torus", "torus:4x6x16", Row::ring, parse_dimensions};
constexpr GridKind mesh = {"mesh", "mesh:4x6x16", Row::line, parse_dimensions};
constexpr GridKind hyperx = {"hyperx", "hyperx:4x4x4,hosts=2", Row::full, parse_dimensions};
constexpr GridKind hypercube = {"hypercube", "hypercube:10", Row::line, parse_hypercube};

/// The values of a formula, before the network is built.
struct GridText {
  Formula formula;
  std::vector<std::uint64_t> dimensions;
  std::uint64_t hosts = 1;
  LinkRate rate;
};

Result<GridText> parse_grid(const GridKind& kind, std::string_view rest) {
  constexpr std::array<std::string_view, 2> keys = {"hosts", "rate"};
  const auto formula = Formula::parse(kind.name, kind.synopsis, rest, keys);
  if (!formula) return Failure(formula.error());
  auto dimensions = kind.parse_shape(*formula);
  if (!dimensions) return Failure(dimensions.error());
  const auto hosts = formula->number("hosts", 1, 0, max_ports);
  if (!hosts) return Failure(hosts.error());
  const auto rate = formula->rate();
  if (!rate) return Failure(rate.error());
  return GridText{*formula, std::move(*dimensions), *hosts, *rate};
}

Result<Network> open_grid(const GridKind& kind, std::string_view rest) {
  auto text = parse_grid(kind, rest);
  if (!text) return Failure(text.error());
  const Grid grid(std::move(text->dimensions), kind.row, text->hosts, text->rate);
  if (auto checked = grid.check(text->formula); !checked) return Failure(checked.error());
  return grid.build();
}

Result<std::optional<GridFormula>> grid_formula(const GridKind& kind, std::string_view rest) {
  const auto text = parse_grid(kind, rest);
  if (!text) return Failure(text.error());
  if (text->hosts != 1) return std::nullopt;
  std::uint64_t points = 1;
  for (const std::uint64_t length : text->dimensions) points = saturating_product(points, length);
  constexpr std::uint64_t max_points = (std::uint64_t{1} << 32) - 1;
  if (points > max_points) return text->formula.too_large("more than 2^32 - 1 points");
  GridFormula formula;
  formula.dimensions.assign(text->dimensions.begin(), text->dimensions.end());
  formula.periodic.assign(formula.dimensions.size(), kind.row == Row::ring);
  formula.rate = text->rate;
  return formula;
}

}  // namespace

Result<Network> open_torus(std::string_view rest) { return open_grid(torus, rest); }
Result<Network> open_mesh(std::string_view rest) { return open_grid(mesh, rest); }
Result<Network> open_hyperx(std::string_view rest) { return open_grid(hyperx, rest); }
Result<Network> open_hypercube(std::string_view rest) { return open_grid(hypercube, rest); }

Result<std::optional<GridFormula>> torus_formula(std::string_view rest, bool) { return grid_formula(torus, rest); }
Result<std::optional<GridFormula>> mesh_formula(std::string_view rest, bool) { return grid_formula(mesh, rest); }
Result<std::optional<GridFormula>> hypercube_formula(std::string_view rest, bool) {
  return grid_formula(hypercube, rest);
}

}  // namespace ayatori
