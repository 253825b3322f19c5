#pragma once
/// \file
/// Hosts by a site's own pattern instead of the built-in rules.

#include <functional>
#include <string_view>

#include "host_names.hpp"

namespace ayatori {

using ReadHost = std::function<HostDevice(std::string_view description)>;

/// A reader for `host_pattern` as in SourceOptions. A description that it does not match names no host.
/// Error: no regular expression, or one without a group.
[[nodiscard]] Result<ReadHost> compile_host_pattern(std::string_view host_pattern);

}  // namespace ayatori
