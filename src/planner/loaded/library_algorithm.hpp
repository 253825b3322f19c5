#pragma once
/// \file
/// Algorithms that a shared library makes.

#include <memory>
#include <string>
#include <string_view>

#include "ayatori/loaded/loaded_algorithm.hpp"

namespace ayatori {

/// `file` is what dlopen(3) takes, but a name without '/' is looked for in the working directory first. `name` is
/// passed to the library. Errors: as load_algorithm().
[[nodiscard]] Result<std::shared_ptr<const LoadedAlgorithm>> load_library(std::string_view file, std::string_view name);

}  // namespace ayatori
