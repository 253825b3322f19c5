#pragma once
/// \file
/// Algorithms of others as a file: schedules whose steps are written out. docs/schedule-format.md describes the file,
/// schemas/schedule.schema.json its JSON.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/written_algorithm.hpp"

namespace ayatori {

/// The most bytes of a file of schedules. A reader takes up to some twenty times as much memory.
inline constexpr std::uint64_t max_schedule_file_bytes = std::uint64_t{64} << 20;
inline constexpr std::size_t max_schedules_of_file = 64;

struct ScheduleFile {
  std::string name;  ///< for people
  /// For different collectives, numbers of ranks, roots or sizes. The first that fits a call is taken.
  std::vector<WrittenWithSizes> schedules;
};

/// The first schedule of the file that is for this collective, number of ranks, root and size; nullptr if there is
/// none.
[[nodiscard]] const WrittenWithSizes* find_schedule(const ScheduleFile& file, const CollectiveCall& call);

/// Reads a file, and proves each of its schedules right for all sizes that it names (verify_written). Errors name the
/// file and the place in it (a JSON pointer, RFC 6901): not valid JSON, another format or version, a member that is
/// missing, not known or not as docs/schedule-format.md says, more than the limits above and those of
/// written_algorithm.hpp; and, with participant, stream and step, a schedule that does not fulfil its collective's
/// postcondition.
[[nodiscard]] Result<ScheduleFile> read_schedule_file(const std::filesystem::path& path);

/// read_schedule_file() for a text. `file` names it in messages.
[[nodiscard]] Result<ScheduleFile> parse_schedule_file(std::string_view text, std::string_view file);

/// Writes the file, whole or not at all. Errors: as write_file().
[[nodiscard]] Result<> write_schedule_file(const ScheduleFile& file, const std::filesystem::path& path);

/// The JSON of write_schedule_file(): a line for each step.
[[nodiscard]] std::string schedule_file_text(const ScheduleFile& file);

}  // namespace ayatori
