#pragma once
/// \file
/// When do two names mean the same host?

#include <string>
#include <string_view>

namespace ayatori {

/// The name in small letters.
[[nodiscard]] std::string folded_host_name(std::string_view name);

/// The part before the first dot, in small letters. An address has none: 10.0.0.1 and 10.0.0.2 are not the same host.
[[nodiscard]] std::string short_host_name(std::string_view name);

}  // namespace ayatori
