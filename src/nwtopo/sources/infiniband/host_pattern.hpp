#pragma once
/// \file
/// Finds hosts by a site's own pattern instead of the built-in rules.

#include <functional>
#include <string_view>

#include "host_names.hpp"

namespace ayatori {

using ReadHost = std::function<HostDevice(std::string_view description)>;

/// Compiles a `host_pattern` (as in SourceOptions): an extended regular expression of POSIX, in which \d, \w, \s and,
/// outside of brackets, \D, \W and \S may stand. A description that it does not match names no host. Errors: not a
/// valid regular expression; more than 1000 bytes; repetitions within each other that make more than 500 places; a
/// pattern without a group.
[[nodiscard]] Result<ReadHost> compile_host_pattern(std::string_view host_pattern);

}  // namespace ayatori
