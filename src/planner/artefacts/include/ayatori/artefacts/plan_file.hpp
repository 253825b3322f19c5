#pragma once
/// \file
/// Reads and writes the plan of a job as JSON, with a companion file of packed path bits where the plan has one path
/// per pair of ranks. docs/plan-format.md describes both files, schemas/plan.schema.json the JSON.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/job_host.hpp"
#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Where the messages to a rank arrive.
struct RankAddress {
  Guid port_guid = 0;
  Lid base_lid = 0;  ///< of that port: a message's destination LID is this plus its path bits

  friend bool operator==(const RankAddress&, const RankAddress&) = default;
};

/// What a plan file holds.
struct PlanFile {
  std::string reason;  ///< how good the plan is, and how that is known; for people
  int lmc = 0;         ///< of the ports: they have 2^lmc LIDs each
  std::string tables;  ///< fingerprint_of() its ports' paths on the tables that it was made on; empty: not known
  std::vector<JobHost> machines;   ///< in rank order
  std::vector<RankAddress> ranks;  ///< by rank; as many as the machines have together
  Plan plan;                       ///< for as many ranks
  bool of_nics = false;  ///< "ranks" are all NICs of the machines, rail by rail: for a job whose messages also use NICs
                         ///< other than its ranks' own (rails.hpp)

  friend bool operator==(const PlanFile&, const PlanFile&) = default;
};

/// Writes `path`, and next to it `path`.pairs if the plan is per pair. Each file is written whole or not at all, the
/// companion first, so that a plan file never names a companion that is not there. Errors: as write_file().
[[nodiscard]] Result<> write_plan_file(const PlanFile& file, const std::filesystem::path& path);

/// Reads what write_plan_file() wrote. Errors name the file, and the line or the place
/// in it (a JSON pointer, RFC 6901): not valid JSON, another format or version, a member that is missing or not as
/// docs/plan-format.md says, a companion that is missing, damaged, or of another plan.
[[nodiscard]] Result<PlanFile> read_plan_file(const std::filesystem::path& path);

/// The contents of the file called `name` in the folder of the plan file.
using ReadCompanion = std::function<Result<std::string>(std::string_view name)>;

/// read_plan_file() for a text. `file` names it in messages.
[[nodiscard]] Result<PlanFile> parse_plan_file(std::string_view text, std::string_view file,
                                               const ReadCompanion& read_companion);

/// The JSON of write_plan_file(). `companion` is the name of the file with the path bits of a plan per pair.
[[nodiscard]] std::string plan_file_text(const PlanFile& file, std::string_view companion);

}  // namespace ayatori
