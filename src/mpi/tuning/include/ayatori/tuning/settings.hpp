#pragma once
/// \file
/// What the user's environment asks of the plug-in. Process 0 reads its environment and sends the text to all others,
/// so that all of them decide alike whatever their own environments say.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/tuning/mpi_call.hpp"

namespace ayatori {

/// One algorithm for all sizes of a call.
struct ForcedChoice {
  std::string algorithm;  ///< empty: the MPI's own, whatever else would be chosen
  Bytes chunk_bytes = 0;  ///< of a pipeline; 0: the algorithm's own choice

  friend bool operator==(const ForcedChoice&, const ForcedChoice&) = default;
};

/// Who moves operations that do not block, while the program computes?
enum class ProgressMode : std::uint8_t {
  off,     ///< nobody but the MPI, in its own calls
  calls,   ///< every call of MPI that the plug-in sees
  thread,  ///< a thread
};

struct Settings {
  bool verbose = false;  ///< AYATORI_VERBOSE
  bool veto = true;  ///< AYATORI_VETO: whether the first calls of a table's algorithm are compared with the MPI's own
  bool node_memory = true;  ///< AYATORI_NODE_MEMORY: whether processes of a node talk through memory that they share
  /// AYATORI_SOCKETS: whether messages between machines go by TCP connections of our own, over the networks that the
  /// job's network has, instead of through the MPI.
  bool sockets = false;
  /// AYATORI_RANKS_PER_MACHINE: take so many ranks each for those of one machine, whatever the MPI says; for tests of
  /// schedules for many machines on one. 0: ask the MPI.
  std::uint32_t ranks_per_machine = 0;
  /// AYATORI_MAX_COUNT: the most bytes that one count of the MPI's functions stands for, since counts are int. Less
  /// than that is for tests, which so see with small data what happens to large data.
  Bytes max_count = Bytes{1} << 30;
  std::array<std::optional<ForcedChoice>, mpi_call_count> forced;
  std::array<std::optional<ForcedChoice>, mpi_call_count> forced_nonblocking;  ///< of MPI_Ibcast, …
  ProgressMode progress = ProgressMode::off;                                   ///< AYATORI_PROGRESS
  /// AYATORI_PROGRESS_CPU: on which core the thread runs; of several, the k-th process of a node takes the k-th. Empty:
  /// on any.
  std::vector<std::uint32_t> progress_cpus;
  std::vector<std::string> complaints;  ///< one line for each variable that can't be used, and so is not

  /// Whether any variable names who executes a call.
  [[nodiscard]] bool executes_anything() const;
  /// Whether one is forced that does not block.
  [[nodiscard]] bool forces_nonblocking() const;
};

/// "trinaryx3", "trinaryx3:chunk=16KiB", "file:F" or "library:L.so:NAME" for an algorithm of others (not loaded here),
/// or "mpi" for the MPI's own. Errors say what is wrong: no algorithm of this name for the call, one that needs
/// routers, one that can't be executed with the sizes of this call, a key that is not known.
[[nodiscard]] Result<ForcedChoice> parse_forced_choice(MpiCall call, std::string_view text);

/// Reads lines "NAME=VALUE": those of variables AYATORI_*. Never fails: what can't be used becomes a complaint.
[[nodiscard]] Settings parse_settings(std::string_view lines);

}  // namespace ayatori
