#pragma once
/// \file
/// The choice table: which algorithm a job should take for which collective and size, predicted or measured.
/// docs/choice-format.md describes the file, schemas/choice-table.schema.json its JSON.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/job_host.hpp"
#include "ayatori/artefacts/message_costs.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// The numbers of the simulator that the choices were made with.
struct ChoiceModel {
  std::string steps = "drift";  ///< or "synchronous"
  double link_bandwidth = 0;    ///< bytes per second; 0: the network's own rates
  double link_latency = 0;      ///< seconds
  bool head_of_line = false;
  std::string costs_from = "given";  ///< where `costs` come from: "assumed for 4xHDR", "measured on …", "given"
  CommunicationCosts costs;

  friend bool operator==(const ChoiceModel&, const ChoiceModel&) = default;
};

/// The name of whatever algorithm the MPI library itself takes.
inline constexpr std::string_view the_mpis_own = "mpi";

/// Where and when choices were measured.
struct ChoiceMeasurement {
  std::string machine;     ///< host, processor, number of cores
  std::string mpi;         ///< the MPI's name and version
  std::string date;        ///< "2026-11-27"
  std::uint64_t seed = 0;  ///< of the order of the measurements

  friend bool operator==(const ChoiceMeasurement&, const ChoiceMeasurement&) = default;
};

/// The choice for all sizes from `first` to `last`, both included.
struct SizeInterval {
  Bytes first = 0;
  std::optional<Bytes> last;  ///< nothing: this and all larger sizes
  std::string algorithm;      ///< a name of ayatori/schedule/algorithms.hpp, or the_mpis_own
  Bytes chunk_bytes = 0;      ///< of a pipeline; 0: the algorithm's own choice, or no pipeline

  friend bool operator==(const SizeInterval&, const SizeInterval&) = default;
};

struct CollectiveChoice {
  std::string collective;
  std::vector<Bytes> sampled;           ///< the sizes that were predicted or measured, rising
  std::vector<SizeInterval> intervals;  ///< cover all sizes from 0 on, each once, in order

  friend bool operator==(const CollectiveChoice&, const CollectiveChoice&) = default;
};

struct ChoiceTable {
  std::string source;  ///< the network, as the command line takes it
  std::vector<JobHost> machines;
  std::string method;  ///< which paths messages take: a word of Method, "dimension-order", "adaptive" or "ecmp"
  ChoiceModel model;
  std::vector<CollectiveChoice> collectives;
  /// Of choices that were measured by `ayatori tune`, which have no source, method and model.
  std::optional<ChoiceMeasurement> measured;

  /// The choice for `size` bytes as MPI counts them, in time logarithmic in the number of intervals. nullptr if the
  /// table has no such collective.
  [[nodiscard]] const SizeInterval* find(std::string_view collective, Bytes size) const;

  friend bool operator==(const ChoiceTable&, const ChoiceTable&) = default;
};

/// Why the table is for another job than this one, in words: the first difference. Empty: it is for this one.
/// `machine_of_rank`: machines are numbered in the order of their first ranks. `hosts`: by machine, its name; empty:
/// names are not compared. A job on one machine may take a table for "localhost".
[[nodiscard]] std::string why_for_another_job(const ChoiceTable& table, std::span<const std::uint32_t> machine_of_rank,
                                              std::span<const std::string> hosts);

/// Writes the table, whole or not at all. Errors: as write_file().
[[nodiscard]] Result<> write_choice_table(const ChoiceTable& table, const std::filesystem::path& path);

/// Reads what write_choice_table() wrote, and files of versions 1 and 2. Errors name the file, and the line or the
/// place in it (a JSON pointer, RFC 6901): not valid JSON, another format or version, a member that is missing or not
/// as docs/choice-format.md says, an algorithm that its collective does not have.
[[nodiscard]] Result<ChoiceTable> read_choice_table(const std::filesystem::path& path);

/// read_choice_table() for a text. `file` names it in messages.
[[nodiscard]] Result<ChoiceTable> parse_choice_table(std::string_view text, std::string_view file);

/// The JSON of write_choice_table().
[[nodiscard]] std::string choice_table_text(const ChoiceTable& table);

}  // namespace ayatori
