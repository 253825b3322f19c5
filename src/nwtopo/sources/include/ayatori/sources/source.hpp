#pragma once
/// \file
/// Sources of a Network. A string "KIND:REST" names one, the same in C, Python and the
/// shell. docs/adding-a-source.md says how to add a kind: a folder src/nwtopo/sources/KIND and an entry in sources.cpp.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/purpose.hpp"

namespace ayatori {

struct GridFormula;  // topology/grid.hpp

/// How to open a source.
struct SourceOptions {
  /// A regular expression (ECMAScript) that finds the host in a node description: its first group is the host name, its
  /// second group, if any, the device. Empty: the built-in rules (docs/sources.md).
  std::string host_pattern = {};
  /// Which planes: those for this purpose, where the source has purposes (clusters, and files written from them); else
  /// all.
  Purpose purpose = Purpose::everything;
  /// A file of aliases of hosts, as with_aliases() reads it. Empty: none.
  std::string aliases = {};
};

/// Opens a source. `rest` is the text after the colon.
using OpenSource = Result<Network> (*)(std::string_view rest, const SourceOptions& options);

/// Opens the same network as a formula, which takes constant memory. Returns nothing if `rest` has no such formula.
using OpenFormula = Result<std::optional<GridFormula>> (*)(std::string_view rest, bool physical_view);

/// A kind of source: its name and its functions.
struct SourceKind {
  std::string_view kind;      ///< "fattree"
  std::string_view synopsis;  ///< "fattree:K=6,levels=2,nodes=30"
  OpenSource open;
  OpenFormula formula = nullptr;  ///< only for kinds that have formulas
  std::string_view reads = {};    ///< the content of its files, for error messages; only for kinds that read files
};

/// All kinds of source that this build knows.
[[nodiscard]] std::span<const SourceKind> source_kinds();

/// The source with its kind: the path of a file or folder that exists becomes "ib:fabric.txt" or whatever its content
/// is; all other text stays as it is. Errors: a content of no kind, or of several kinds; neither a regular file nor a
/// folder, since a pipe can be read only once.
[[nodiscard]] Result<std::string> with_kind(std::string_view source);

/// Opens "fattree:K=6,levels=2,nodes=30", "ib:FILE", "ib:live", …, also a file without its kind: see with_kind().
/// Errors: invalid text in the string or file, which the message names; an unknown kind (the hint lists the known
/// ones); no plane for options.purpose.
[[nodiscard]] Result<Network> open_source(std::string_view source, const SourceOptions& options = {});

}  // namespace ayatori
