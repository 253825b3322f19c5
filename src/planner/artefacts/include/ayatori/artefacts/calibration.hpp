#pragma once
/// \file
/// The calibration: what messages, copies and reductions cost on a real machine, measured and fitted by `ayatori
/// calibrate`. docs/calibration-format.md describes the file, schemas/calibration.schema.json its JSON.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/message_costs.hpp"
#include "ayatori/base/error.hpp"

namespace ayatori {

/// How far the fitted costs are from what was measured: |predicted − measured| / measured.
struct FitError {
  std::string what;          ///< the pattern: "one way inside", "exchange between", "copy", …
  bool fitted = false;       ///< the fit has seen these measurements; otherwise they check it
  std::uint64_t points = 0;  ///< how many were compared
  double median = 0;
  double max = 0;

  friend bool operator==(const FitError&, const FitError&) = default;
};

struct Calibration {
  std::string machine;               ///< where it was measured: host, processor, number of cores
  std::string mpi;                   ///< the MPI's name and version
  std::vector<std::string> remarks;  ///< what limits its worth: noise, too many ranks for the cores
  /// Nothing where it was not measured, as between machines if there was only one.
  std::optional<MessageCosts> inside;
  std::optional<MessageCosts> between;
  /// How many links the messages between machines took. Their latencies are part of `between->latency`.
  std::uint32_t links_between = 0;
  SizeCost copy;
  SizeCost reduce;
  SizeCost cache_refill;  ///< as in CommunicationCosts
  double start = 0;       ///< as in CommunicationCosts
  /// Seconds that our executor takes for each end of a message, in addition to the MPI. Not in `send`
  /// and `receive`, which are the MPI's.
  double engine = 0;
  std::uint32_t cores = 0;    ///< of the machine; 0: not known
  SizeCost scheduling_delay;  ///< as in CommunicationCosts
  double start_skew = 0;      ///< as in CommunicationCosts
  SizeCost oversubscription;  ///< as in CommunicationCosts
  std::vector<FitError> errors;

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

/// Writes the calibration, whole or not at all. Errors: as write_file().
[[nodiscard]] Result<> write_calibration(const Calibration& calibration, const std::filesystem::path& path);

/// Reads what write_calibration() wrote. Errors name the file, and the line or the place in it (a JSON pointer, RFC
/// 6901): not valid JSON, another format or version, a member that is missing or not as docs/calibration-format.md
/// says.
[[nodiscard]] Result<Calibration> read_calibration(const std::filesystem::path& path);

/// read_calibration() for a text. `file` names it in messages.
[[nodiscard]] Result<Calibration> parse_calibration(std::string_view text, std::string_view file);

/// The JSON of write_calibration().
[[nodiscard]] std::string calibration_text(const Calibration& calibration);

}  // namespace ayatori
