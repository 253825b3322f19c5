#pragma once
/// \file
/// Files, whole or not at all.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// The contents of a regular file or pipe. Errors name the path and the system's reason.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// Receives a file's contents piece by piece.
using Sink = std::function<void(std::string_view)>;

/// Writes what `produce` hands to its sink into a temporary file beside `path`
/// and renames it over `path` when all of it is on disk. On failure (a full disk,
/// an unwritable folder) `path` is as it was and the temporary file is gone.
[[nodiscard]] Result<> write_file(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce);
[[nodiscard]] Result<> write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace ayatori
