#pragma once
/// \file
/// Reads and writes files, whole or not at all.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// The largest file and the largest output of a pipe that read_file() accepts.
inline constexpr std::uint64_t max_file_bytes = std::uint64_t{4} << 30;
inline constexpr std::uint64_t max_pipe_bytes = std::uint64_t{1} << 30;

/// The text of a regular file or pipe, without a byte order mark of UTF-8. Errors name the path and the system's
/// reason; they include any other kind of file (/dev/zero, a terminal), more bytes than above, text in UTF-16, and a
/// pipe that nobody opens for writing within two seconds.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// Takes the contents of a file piece by piece.
using Sink = std::function<void(std::string_view)>;

/// Writes what `produce` gives to its sink into a temporary file next to `path`, and renames that to `path` when all of
/// it is on disk. On failure (a full disk, a folder that can't be written to) `path` is unchanged and the temporary
/// file is removed. A file that is replaced keeps its permissions; a new one has those that the umask allows.
[[nodiscard]] Result<> write_file(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce);
[[nodiscard]] Result<> write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace ayatori
