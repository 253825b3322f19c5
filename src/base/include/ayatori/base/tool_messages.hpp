#pragma once
/// \file
/// Messages that programs write between the lines of their output. Output that was saved with `2>&1`, or copied from a
/// terminal, contains them.

#include <cstdint>
#include <string_view>

namespace ayatori {

enum class ToolMessage : std::uint8_t {
  none,      ///< not such a message
  harmless,  ///< progress ("DR path … -> new remote …") or a shell prompt
  failure,   ///< a part of the output may be missing: "src/query_smp.c:195; umad (…) bad status 110", "ibwarn: …"
};

/// Classifies a line of the output of an InfiniBand program (infiniband-diags, ibutils).
[[nodiscard]] ToolMessage classify_tool_message(std::string_view line);

}  // namespace ayatori
