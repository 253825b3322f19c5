#pragma once
/// \file
/// How many tasks a job of Slurm has on each of its nodes, as SLURM_STEP_TASKS_PER_NODE says it: "2(x3),1" is 2 on each
/// of the first three nodes and 1 on the fourth (srun(1), OUTPUT ENVIRONMENT VARIABLES).

#include <cstdint>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori::launch {

/// Nodes that follow each other and have as many tasks each.
struct AlikeNodes {
  std::uint32_t nodes = 0;  ///< at least 1
  std::uint32_t tasks = 0;  ///< of each, at least 1

  bool operator==(const AlikeNodes&) const = default;
};

/// Reads groups in the order of the nodes; neighbours may have the same number of tasks. Errors: a text that is not as
/// above, without blanks.
[[nodiscard]] Result<std::vector<AlikeNodes>> parse_tasks_per_node(std::string_view text);

}  // namespace ayatori::launch
