#pragma once
/// \file
/// Rings through meshes: how a torus lies in Tofu's six dimensions. Every step of a ring, the last one too, is a
/// physical link. All functions come in pairs, there and back.

#include <array>
#include <cstdint>
#include <utility>

namespace ayatori::tofu {

/// A point of two coordinates, the first below `length`, the second below `width`.
using Pair = std::pair<std::uint64_t, std::uint64_t>;

/// A ring through a mesh of `length` × 2: along the one side, back along the other.
///
///     0 1 2 3
///     7 6 5 4
[[nodiscard]] Pair in_two_rows(std::uint64_t position, std::uint64_t length);
[[nodiscard]] std::uint64_t from_two_rows(Pair point, std::uint64_t length);

/// A ring through a mesh of `length` whose points are rings of 3: along the first, back and forth between the other
/// two.
///
///     0  1 2 3
///     11 8 7 4      10 and 11 are both next to 0, by the ring of 3
///     10 9 6 5
[[nodiscard]] Pair in_three_rows(std::uint64_t position, std::uint64_t length);
[[nodiscard]] std::uint64_t from_three_rows(Pair point, std::uint64_t length);

/// A ring through a mesh of `length` × `width`, `length` being even: to and fro in all rows but the first, and back
/// along that one. A width of 1 needs the mesh to be a ring already.
///
///     0 7 6 5
///     1 2 3 4
[[nodiscard]] Pair in_many_rows(std::uint64_t position, std::uint64_t length, std::uint64_t width);
[[nodiscard]] std::uint64_t from_many_rows(Pair point, std::uint64_t length, std::uint64_t width);

}  // namespace ayatori::tofu
