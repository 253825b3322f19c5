#pragma once
/// \file
/// What `scontrol show topology` prints, as people save it from a terminal.

#include <string>
#include <string_view>
#include <vector>

namespace ayatori::slurm {

/// What to give as slurm:FILE.
inline constexpr std::string_view readable_files =
    "slurm:FILE takes topology.conf, topology.yaml, or what scontrol show topology prints";

struct PrintedTopology {
  std::string text;  ///< one record a line, or a line that a backslash continues; every line has its number in the file
  std::vector<std::string> warnings;  ///< one for each line that is not scontrol's
};

/// Whether a text has what scontrol prints and topology.conf does not have: levels, or indices of blocks.
[[nodiscard]] bool is_printed(std::string_view text);

/// Joins lines that the terminal wrapped at its width, and takes prompts, and what stands before and after the list,
/// out.
[[nodiscard]] PrintedTopology read_terminal(std::string_view text, std::string_view file);

}  // namespace ayatori::slurm
