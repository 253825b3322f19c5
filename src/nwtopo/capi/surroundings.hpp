#pragma once
/// \file
/// This process's environment and host. No other file of the library looks at them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori::capi {

/// A variable of the environment, if it is set and not empty.
[[nodiscard]] std::optional<std::string> variable(const char* name);

/// The source to take where the program named none: NWTOPO_SOURCE, else the first that is found. Error ENODATA.
struct FoundSource {
  std::string source;
  bool automatic = false;  ///< found, and not named by anybody
};
[[nodiscard]] Result<FoundSource> source_from_surroundings();

/// The source with what only the environment tells filled in ("tofu:job").
[[nodiscard]] Result<std::string> resolve_here(std::string_view source);

/// Host names of the batch job that this process belongs to; none outside of jobs.
[[nodiscard]] Result<std::vector<std::string>> hosts_of_this_job();

/// This process's point in the torus of its Tofu job (tofu_job_point()).
[[nodiscard]] Result<std::optional<std::uint64_t>> point_in_job(std::span<const std::uint32_t> shape);

/// As gethostname() gives it.
[[nodiscard]] std::string this_host();

}  // namespace ayatori::capi
