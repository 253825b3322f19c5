#pragma once
/// \file
/// Finds hosts by a site's own pattern instead of the built-in rules.

#include <functional>
#include <string_view>

#include "host_names.hpp"

namespace ayatori {

using ReadHost = std::function<HostDevice(std::string_view description)>;

/// Compiles a `host_pattern` (as in SourceOptions). A description that it does not match names no host.
/// Errors: not a valid regular expression; a pattern without a group.
[[nodiscard]] Result<ReadHost> compile_host_pattern(std::string_view host_pattern);

}  // namespace ayatori
