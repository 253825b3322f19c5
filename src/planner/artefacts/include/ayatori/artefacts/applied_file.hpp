#pragma once
/// \file
/// Reads and writes the paths that the connections of one process took, as JSON: what libayatori_paths.so recorded.
/// docs/applied-format.md describes the file, schemas/applied.schema.json its members.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Two ports have at most so many paths: there are no more LIDs.
inline constexpr std::uint32_t max_paths_per_pair = 128;

/// What makes connections alike.
struct AppliedPath {
  bool datagram = false;  ///< an address handle; otherwise a queue pair that is connected to one other
  Guid port_guid = 0;     ///< of the port of this machine; 0: not known
  Lid slid = 0;           ///< from which the packets come
  Lid dlid = 0;           ///< to which they go
  bool planned = false;   ///< as the plan says; otherwise the program's own address was left as it was

  friend auto operator<=>(const AppliedPath&, const AppliedPath&) = default;
};

struct AppliedConnections {
  AppliedPath path;
  std::uint64_t count = 1;  ///< how many connections took it

  friend bool operator==(const AppliedConnections&, const AppliedConnections&) = default;
};

struct AppliedFile {
  std::string plan;  ///< the file that the process read
  std::string host;
  std::uint64_t process = 0;         ///< its number on that host
  std::uint32_t paths_per_pair = 1;  ///< how many paths two ports were to have (ConnectionPaths)
  std::vector<AppliedConnections> connections;

  friend bool operator==(const AppliedFile&, const AppliedFile&) = default;
};

/// Writes the file whole or not at all. Errors: as write_file().
[[nodiscard]] Result<> write_applied_file(const AppliedFile& file, const std::filesystem::path& path);

/// Reads what write_applied_file() wrote. Errors name the file, and the line or the place in it (a JSON pointer): not
/// valid JSON, another format or version, a member that is missing or not as docs/applied-format.md says.
[[nodiscard]] Result<AppliedFile> read_applied_file(const std::filesystem::path& path);

/// read_applied_file() for a text. `file` names it in messages.
[[nodiscard]] Result<AppliedFile> parse_applied_file(std::string_view text, std::string_view file);

/// The JSON of write_applied_file().
[[nodiscard]] std::string applied_file_text(const AppliedFile& file);

}  // namespace ayatori
