#pragma once
/// \file
/// Algorithms of others, by their names on the command line and in environment variables:
///
///     file:F              schedules whose steps are written out in a file (docs/schedule-format.md)
///     library:L.so:NAME   schedules that a shared library makes (src/planner/include/ayatori_algorithm.h); NAME may be
///     left out
///
/// Whatever they make is verified before anybody sees it.

#include <memory>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {

/// A schedule, or why there is none for this call.
struct LoadedSchedule {
  SchedulePtr schedule;
  std::string reason;  ///< one line, where schedule is nullptr
};

/// Immutable; safe to use from many threads.
class LoadedAlgorithm {
 public:
  virtual ~LoadedAlgorithm() = default;

  /// Whether the user may choose the size of a pipeline's chunks (AlgorithmOptions::chunk_bytes).
  [[nodiscard]] virtual bool takes_chunks() const = 0;

  /// The schedule of one call. Of `options` it takes pair_sizes and, if it takes chunks, chunk_bytes. Takes the time of
  /// a verification if a library makes the schedule; files were verified when they were read.
  ///
  /// Errors: a call that cannot be (checked_call), a placement of another number of ranks; a schedule that is wrong,
  /// with participant, stream and step.
  [[nodiscard]] Result<LoadedSchedule> make(const CollectiveCall& call, const Placement& placement,
                                            const AlgorithmOptions& options = {}) const;

 private:
  [[nodiscard]] virtual Result<LoadedSchedule> make_checked(const CollectiveCall& call, const Placement& placement,
                                                            const AlgorithmOptions& options) const = 0;
};

/// Reads the file, or loads the library. A library stays loaded until the process ends. Errors: those of
/// read_schedule_file(); a library that cannot be loaded, or has no such function; a name of another kind.
[[nodiscard]] Result<std::shared_ptr<const LoadedAlgorithm>> load_algorithm(std::string_view name);

/// make_schedule() for all names: of our own algorithms, and of those of others, which are loaded for this call.
/// Errors: those of make_schedule(), load_algorithm() and LoadedAlgorithm::make(); no schedule for this call.
[[nodiscard]] Result<SchedulePtr> make_named_schedule(std::string_view algorithm, const CollectiveCall& call,
                                                      const Placement& placement, const AlgorithmOptions& options = {});

}  // namespace ayatori
