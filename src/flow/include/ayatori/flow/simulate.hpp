#pragma once
/// \file
/// How long does a schedule take? A flow-level simulation.
///
/// The model
///
///   A message of m bytes from rank a to rank b begins when the sender has posted it and, if m > eager_limit, the
///   receiver has posted its receive as well. It then waits for overhead + Σ latency(l) over the links l of its path,
///   and flows at a rate that is shared max-min fairly among all flows under way: rates x_f are the unique allocation
///   in which no x_f can grow without shrinking one that is not larger,
///
///       Σ_{f over l} x_f ≤ capacity(l)   for every directed link l,
///       Σ_{f out of / into NIC n} x_f ≤ injection(n),       Σ_{f inside machine n} x_f ≤ bus(n).
///
///   It ends when m bytes have flowed; a message of 0 bytes, or inside a machine whose bus has no limit, when it has
///   waited (overhead + bus_latency inside a machine). The sender is done then (eager: when it has left, which is at
///   once), the receiver when it has arrived and the receive is posted. When all messages of a participant's step have
///   ended, its local operations follow, one after the other, and then the step ends. They take
///
///       Σ bytes of its copies / copy_bytes_per_second + Σ bytes of its reductions / reduce_bytes_per_second
///
///   where a rate of 0 means no time. They use no link and no bus, and streams of one participant do theirs at the same
///   time, as on cores of their own.
///
///   drift         every participant and stream goes on as soon as its own step has ended, as MPI programs do
///   synchronous   step s + 1 of all streams begins for all when step s has ended for all; a step takes as long as
///                 its slowest message, and then the longest local operations. A message belongs to the step that
///                 sends it, its receive is posted. With load(l) the flows over l, the last flow ends at
///
///                     max_f delay(f) + max_f bytes(f) · max_l load(l) / capacity(l)
///
///                 if some most loaded link carries only flows of most delay and bytes: no rate is ever below
///                 capacity(l) / load(l) there, and on that link none can be above. Then nothing but loads is counted;
///                 other steps are simulated flow by flow. A link counts as saturated in the steps in which it is
///                 most loaded.
///
///   Events closer than 1e-11 of the time that has passed are one, and rates that agree to 1e-12 are equal: so that
///   rounding does not disturb symmetry.
///
///   head_of_line (an option): a switch forwards from a port's input queue in order, so a flow that is slowed at link l
///   slows the flows that share the links before l to the same rate; src/flow/head_of_line.hpp has the equation. Needs
///   more time: every change is followed through all flows that are connected with it by shared links.
///
/// Deterministic: the same input gives the same output, bit for bit, on any number of threads.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

enum class StepMode : std::uint8_t { drift, synchronous };

struct FlowOptions {
  StepMode steps = StepMode::drift;
  Bytes eager_limit = 0;               ///< messages up to this size don't wait for their receive
  double overhead = 0;                 ///< seconds a message, before it flows
  double injection = 0;                ///< bytes a second out of, and into, one NIC; 0: only its links limit it
  double bus = 0;                      ///< bytes a second inside a machine; 0: no limit, messages inside take no time
  double bus_latency = 0;              ///< seconds a message inside a machine
  double copy_bytes_per_second = 0;    ///< of local copies; 0: they take no time
  double reduce_bytes_per_second = 0;  ///< of local reductions; 0: they take no time
  bool head_of_line = false;
};

struct HotLinkTime {
  std::uint32_t link = 0;
  double busy = 0;       ///< what it carried, as a share of what it could have carried in that time
  double saturated = 0;  ///< share of the time that it was full and some flow waited for it (synchronous: see above)
  Bytes bytes = 0;
};

struct Prediction {
  double seconds = 0;                  ///< until the last participant is done
  std::vector<double> rank_seconds;    ///< by rank
  std::uint64_t messages = 0;          ///< those inside machines too
  Bytes network_bytes = 0;             ///< without those inside machines
  std::vector<HotLinkTime> hot_links;  ///< those saturated longest first, then the busiest; at most 16
};

/// Errors: a schedule that deadlocks (names participant, stream and step; drift only), participants that `paths`
/// does not know, options that are negative or not finite. Memory grows with participants, links and messages under
/// way, not with the number of messages.
[[nodiscard]] Result<Prediction> simulate(const Schedule& schedule, const Paths& paths, const FlowOptions& options);

/// One of many runs that have nothing to do with each other.
struct SimulationRun {
  SchedulePtr schedule;
  /// Called when the run begins, possibly by another thread: only the paths of runs under way take memory.
  std::function<Result<std::unique_ptr<Paths>>()> make_paths;
};

/// The predictions of all runs, in their order, in parallel (OpenMP). Errors: those of simulate() and make_paths(), run
/// by run.
[[nodiscard]] std::vector<Result<Prediction>> simulate_all(std::span<const SimulationRun> runs,
                                                           const FlowOptions& options);

}  // namespace ayatori
