#pragma once
/// \file
/// Reads and writes which jobs run on a fabric, and which links each of them uses, as JSON: what the plan of the next
/// job must know of them. docs/running-format.md describes the file, schemas/running.schema.json its members.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/job_host.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// A directed link between two devices, by where it leaves.
struct UsedLink {
  std::uint32_t device = 0;  ///< index into RunningFile::devices
  PortNumber port = 0;
  std::uint64_t steps = 0;     ///< of the job, in which the link carries its messages
  std::uint64_t in_steps = 0;  ///< bit s: in step s; 0 if that is not known, as of jobs with more than 64 steps

  friend bool operator==(const UsedLink&, const UsedLink&) = default;
};

struct RunningJob {
  std::string name;               ///< the batch system's id of the job, or the name of its hostfile
  std::string method;             ///< how its paths are chosen: "pair", "base-lids", …
  std::vector<JobHost> machines;  ///< in rank order
  std::uint64_t steps = 0;
  std::vector<UsedLink> links;
  std::string tables;  ///< fingerprint_of() its paths, as they were planned; empty: not known

  friend bool operator==(const RunningJob&, const RunningJob&) = default;
};

struct RunningFile {
  int lmc = 0;                       ///< of the tables that all plans were made for
  std::vector<std::string> devices;  ///< GUIDs ("0x…"), or names of devices without one
  std::vector<RunningJob> jobs;      ///< in the order in which they were added; no two of one name

  friend bool operator==(const RunningFile&, const RunningFile&) = default;
};

/// Writes the file whole or not at all. Errors: as write_file().
[[nodiscard]] Result<> write_running_file(const RunningFile& file, const std::filesystem::path& path);

/// Reads what write_running_file() wrote. Errors name the file, and the line or the place in it (a JSON pointer): not
/// valid JSON, another format or version, a member that is missing or not as docs/running-format.md says, two jobs of
/// one name, a link of a device that is not listed, or in use in more steps than its job has.
[[nodiscard]] Result<RunningFile> read_running_file(const std::filesystem::path& path);

/// read_running_file() for a text. `file` names it in messages.
[[nodiscard]] Result<RunningFile> parse_running_file(std::string_view text, std::string_view file);

/// The JSON of write_running_file().
[[nodiscard]] std::string running_file_text(const RunningFile& file);

}  // namespace ayatori
