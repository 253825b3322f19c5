#pragma once
/// \file
/// One line of the list of tiles.

#include <cstdint>
#include <optional>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::aries {

/// "c0-0c0s6a0l10"
struct Tile {
  std::string_view router;  ///< "c0-0c0s6a0"
  std::string_view blade;   ///< "c0-0c0s6"
  PortNumber port = 0;      ///< 1 … 48
};

struct TileLine {
  enum class Leads : std::uint8_t { nowhere, to_tile, to_processor };
  Tile tile;
  Leads leads = Leads::nowhere;
  Tile other;  ///< if it leads to a tile
};

/// Tiles 40 … 47 are those of processors, two for each of four NICs.
inline constexpr PortNumber tile_count = 48;
inline constexpr PortNumber first_processor_port = 41;
inline constexpr PortNumber nics_per_router = 4;

/// True if a line begins like a tile's.
[[nodiscard]] bool begins_with_tile(std::string_view line);

/// Reads a line; all views point into it. The error is what was expected there.
[[nodiscard]] Result<TileLine> read_tile_line(std::string_view line);

}  // namespace ayatori::aries
