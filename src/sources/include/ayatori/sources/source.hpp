#pragma once
/// \file
/// Sources: the ways a Network becomes known. A source is named by a string
/// "KIND:REST", the same everywhere (C, Python, shell). How to add one: a folder
/// src/sources/KIND with a function that returns a Network, and an entry in sources.cpp.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct GridFormula;  // topology/grid.hpp

struct SourceOptions {
  /// How hosts are read off node descriptions: a regular expression (ECMAScript) whose first group is the host name
  /// and whose second group, if any, is the device. Empty: the built-in rules (docs/sources.md).
  std::string host_pattern;
};

/// Receives what stands behind the colon.
using OpenSource = Result<Network> (*)(std::string_view rest, const SourceOptions& options);

/// The same network as a formula, for those who need no explicit one; nothing where this one is no formula.
using OpenFormula = Result<std::optional<GridFormula>> (*)(std::string_view rest, bool physical_view);

struct SourceKind {
  std::string_view kind;      ///< "fattree"
  std::string_view synopsis;  ///< "fattree:K=6,levels=2,nodes=30"
  OpenSource open;
  OpenFormula formula = nullptr;  ///< only for kinds that have formulas
};

/// Every kind that this build knows.
[[nodiscard]] std::span<const SourceKind> source_kinds();

/// Opens "fattree:K=6,levels=2,nodes=30", "ib:FILE", "ib:live", … Errors name what is wrong in the
/// string or file; an unknown kind lists the known ones.
[[nodiscard]] Result<Network> open_source(std::string_view source, const SourceOptions& options = {});

}  // namespace ayatori
