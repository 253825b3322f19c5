#pragma once
/// \file
/// A Tofu system, and its views as grids.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/grid.hpp"

namespace ayatori::tofu {

enum class View : std::uint8_t { physical, three, two, one };

/// X, Y, Z, A, B, C.
using Coordinates = std::array<std::uint64_t, 6>;

/// Lengths of X, Y and Z; A, B and C are 2, 3 and 2.
struct Box {
  std::uint64_t x = 1;
  std::uint64_t y = 1;
  std::uint64_t z = 1;
};

/// The text after "tofu:".
struct Description {
  std::vector<std::uint64_t> lengths;  ///< X, Y, Z; of a job its logical ones
  bool is_job = false;
  View view = View::three;
  std::array<bool, 3> closed = {true, true, true};
  LinkRate rate;
};

[[nodiscard]] Result<Description> parse(std::string_view text);

/// Lengths of a logical view's dimensions.
[[nodiscard]] std::vector<std::uint32_t> dimensions(const Box& box, View view);

/// The physical place of a logical point (row-major number), and back.
[[nodiscard]] Coordinates place_of(const Box& box, View view, std::uint64_t point);
[[nodiscard]] std::uint64_t point_at(const Box& box, View view, const Coordinates& place);

/// "N3-0-15-1-2-0", and back. Returns nothing for any other name, and for places outside of the system.
[[nodiscard]] std::string name_of(const Coordinates& place);
[[nodiscard]] std::optional<Coordinates> place_named(const Box& box, std::string_view name);

[[nodiscard]] GridFormula formula_of(const Description& description);

}  // namespace ayatori::tofu
