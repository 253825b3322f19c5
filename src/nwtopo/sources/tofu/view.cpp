#include "view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ayatori/base/text.hpp"
#include "rings.hpp"

namespace ayatori::tofu {

namespace {

/// Where a point lies on the rings of the 3-dimensional view.
struct OnRings {
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
};

/// Lengths of those rings.
OnRings rings_of(const Box& box) { return {2 * box.x, 3 * box.y, 2 * box.z}; }

OnRings split_point(const OnRings& length, View view, std::uint64_t point) {
  if (view == View::three) return {point / length.z / length.y, point / length.z % length.y, point % length.z};
  const std::uint64_t yz = length.y * length.z;
  const auto [x, on_yz] = view == View::two ? Pair{point / yz, point % yz} : in_many_rows(point, length.x, yz);
  const auto [z, y] = in_many_rows(on_yz, length.z, length.y);
  return {x, y, z};
}

std::uint64_t join_point(const OnRings& length, View view, const OnRings& at) {
  if (view == View::three) return (at.x * length.y + at.y) * length.z + at.z;
  const std::uint64_t yz = length.y * length.z;
  const std::uint64_t on_yz = from_many_rows({at.z, at.y}, length.z, length.y);
  return view == View::two ? at.x * yz + on_yz : from_many_rows({at.x, on_yz}, length.x, yz);
}

}  // namespace

std::vector<std::uint32_t> dimensions(const Box& box, View view) {
  const OnRings length = rings_of(box);
  std::vector<std::uint64_t> found = {length.x, length.y, length.z};
  if (view == View::physical) found = {box.x, box.y, box.z, 2, 3, 2};
  if (view == View::two) found = {length.x, length.y * length.z};
  if (view == View::one) found = {length.x * length.y * length.z};
  return {found.begin(), found.end()};
}

Coordinates place_of(const Box& box, View view, std::uint64_t point) {
  const OnRings at = split_point(rings_of(box), view, point);
  const auto [x, a] = in_two_rows(at.x, box.x);
  const auto [y, b] = in_three_rows(at.y, box.y);
  const auto [z, c] = in_two_rows(at.z, box.z);
  return {x, y, z, a, b, c};
}

std::uint64_t point_at(const Box& box, View view, const Coordinates& place) {
  const auto [x, y, z, a, b, c] = place;
  const OnRings at = {from_two_rows({x, a}, box.x), from_three_rows({y, b}, box.y), from_two_rows({z, c}, box.z)};
  return join_point(rings_of(box), view, at);
}

std::string name_of(const Coordinates& place) { return fmt::format("N{}", fmt::join(place, "-")); }

std::optional<Coordinates> place_named(const Box& box, std::string_view name) {
  if (!name.starts_with('N')) return std::nullopt;
  const auto texts = split(name.substr(1), '-');
  const Coordinates lengths = {box.x, box.y, box.z, 2, 3, 2};
  Coordinates place{};
  if (texts.size() != place.size()) return std::nullopt;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const auto coordinate = parse_unsigned<std::uint64_t>(texts[i]);
    if (!coordinate || *coordinate >= lengths[i]) return std::nullopt;
    place[i] = *coordinate;
  }
  return name_of(place) == name ? std::optional(place) : std::nullopt;  // refuses "N01-…"
}

GridFormula formula_of(const Description& description) {
  GridFormula formula;
  formula.rate = description.rate;
  formula.plane = "tofu";
  if (description.is_job) {
    formula.dimensions.assign(description.lengths.begin(), description.lengths.end());
    formula.periodic.assign(description.closed.begin(), description.closed.begin() + formula.dimensions.size());
    return formula;
  }
  const Box box = {description.lengths[0], description.lengths[1], description.lengths[2]};
  const View view = description.view;
  formula.dimensions = dimensions(box, view);
  if (view == View::physical) {
    const auto [x, y, z] = description.closed;
    formula.periodic = {x, y, z, false, true, false};
    return formula;  // the grid's own names are those of place_of
  }
  formula.periodic.assign(formula.dimensions.size(), true);
  formula.name = [box, view](std::uint64_t point) { return name_of(place_of(box, view, point)); };
  formula.find = [box, view](std::string_view name) -> std::optional<std::uint64_t> {
    const auto place = place_named(box, name);
    return place ? std::optional(point_at(box, view, *place)) : std::nullopt;
  };
  return formula;
}

}  // namespace ayatori::tofu
