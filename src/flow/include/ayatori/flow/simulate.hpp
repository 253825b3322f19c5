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
///       Σ_{f out of / into NIC n} x_f ≤ injection(n),       Σ_{f inside node n} x_f ≤ bus(n).
///
///   It ends when m bytes have flowed. The sender is done then (eager: when it has left, which is at once), the
///   receiver when it has arrived and the receive is posted. A participant's step ends when all of its messages have;
///   local operations take their bytes divided by `reduce_bytes_per_second` (0: no time).
///
///   drift         every participant and stream goes on as soon as its own step has ended, as MPI programs do
///   synchronous   step s + 1 begins for all when step s has ended for all; the time of a step is its slowest message's
///
///   head_of_line (an option): a message that can't use its full rate on a link holds its *predecessors' links* too:
///   a switch forwards from a port's input queue in order, so a flow that is slowed at link l slows the flows that
///   share the link before l to the same rate. The allocation above is then taken with every flow's rate on its earlier
///   links limited by the slowest flow that shares them; see head_of_line.hpp for the equation.
///
/// Deterministic: the same input gives the same output, bit for bit, on any number of threads.

#include <cstdint>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

enum class StepMode : std::uint8_t { drift, synchronous };

struct FlowOptions {
  StepMode steps = StepMode::drift;
  Bytes eager_limit = 0;   ///< messages up to this size don't wait for their receive
  double overhead = 0;     ///< seconds a message, before it flows
  double injection = 0;    ///< bytes a second out of, and into, one node's NIC; 0: only its links limit it
  double bus = 0;          ///< bytes a second inside a node; 0: no limit, messages inside take no time
  double bus_latency = 0;  ///< seconds a message inside a node
  double reduce_bytes_per_second = 0;
  bool head_of_line = false;
};

struct HotLinkTime {
  std::uint32_t link = 0;
  double busy = 0;       ///< share of the time that it carried something
  double saturated = 0;  ///< share of the time that it was the bottleneck of some flow
  Bytes bytes = 0;
};

struct Prediction {
  double seconds = 0;                  ///< until the last participant is done
  std::vector<double> rank_seconds;    ///< by rank
  std::uint64_t messages = 0;          ///< those inside nodes too
  Bytes network_bytes = 0;             ///< without those inside nodes
  std::vector<HotLinkTime> hot_links;  ///< the busiest first, at most 16
};

/// Error: a schedule that deadlocks (names participant, stream and step), participants that `paths` doesn't know.
/// Memory grows with participants, links and messages under way, not with the number of messages.
[[nodiscard]] Result<Prediction> simulate(const Schedule& schedule, const Paths& paths, const FlowOptions& options);

}  // namespace ayatori
