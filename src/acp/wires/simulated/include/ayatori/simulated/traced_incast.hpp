#pragma once
/// \file
/// An incast with everything that its endpoints decide in a file, to look at: docs/transport.md.

#include <filesystem>

#include "ayatori/base/error.hpp"
#include "ayatori/simulated/incast.hpp"

namespace ayatori::simulated {

/// run_incast(), written to a qlog at `path`, whole or not at all. The result is the same as without. Errors: the
/// options or the scenario are out of range; the file can't be written.
[[nodiscard]] Result<IncastResult> trace_incast(const Incast& incast, const Scenario& scenario,
                                                const transport::Options& options, const std::filesystem::path& path);

}  // namespace ayatori::simulated
