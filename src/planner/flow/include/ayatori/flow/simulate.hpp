#pragma once
/// \file
/// How long does a schedule take? A flow-level simulation.
///
/// The model
///
///   A message of m bytes costs what FlowOptions::costs say of messages inside a machine, or between two (`c` below);
///   on a plane with costs of its own what FlowOptions::on_planes say, but for the bandwidth of NICs.
///   Each rank has one processor, which does one thing after another, in the order in which they become possible: it
///   sends in the order of the step's sends, receives what has arrived, copies and reduces. Streams of a rank share it.
///   Routers that take part have no processor, and nothing but links costs them time; a message between a rank and a
///   router has half of c.latency and no rendezvous.
///
///     1. The sender's processor is busy for c.send(m). Then an eager message (m ≤ c.eager_limit) is done for the
///        sender.
///     2. A larger one waits until its receive is posted. Messages leave a NIC (inside a machine: a rank) at intervals
///        of at least c.gap.
///     3. It waits for
///
///            c.latency + Σ latency(l) over the links l of its path + (c.rendezvous if it is not eager)
///
///        and then in the FIFO queue of its connection: each ordered pair of ranks has a connection, which carries one
///        message at a time. Flows share links max-min fairly: rates x_f are the unique allocation in which no x_f can
///        grow without shrinking one that is not larger,
///
///            Σ_{f over l} x_f ≤ capacity(l)   for every directed link l,
///            Σ_{f out of / into NIC n} x_f ≤ injection,       Σ_{f inside a machine} x_f ≤ bus.
///
///        It has arrived when its bytes have flowed: inside a machine m, between machines m + c.header. A message of 0
///        bytes, or inside a machine whose bus has no limit, flows in no time and does not queue.
///        Where NICs are limited by token buckets (c.burst > 0) as many bytes of it as are in the buckets of both NICs
///        pass at once, and the rest flows. A bucket has at most c.burst bytes; it is full in the beginning, and gets
///        c.bandwidth bytes a second while nothing flows through its NIC (StepMode::drift only). With c.packet a
///        packet passes whole as soon as the bucket owes nothing, and then the bucket owes its bytes. So what flows of
///        a message are the bytes before its last packet that are not in the bucket, and those that it owes.
///     4. When it has arrived and its receive is posted, the receiver's processor is busy for c.receive(m). Then it is
///        done for the receiver, and, if it was not eager, for the sender.
///
///   Where a machine has more ranks than costs.cores, its processors share these cores, first come, first served: an
///   operation begins as soon as its processor has done the previous one and a core is free. A rank that waits for
///   messages polls, too, and then yields its core to the next rank. So on a machine with r ranks there are
///   k = r / (2 · costs.cores) pairs of ranks per core. A message to one of its ranks waits for
///   k · costs.scheduling_delay(m) more. The sender of one that was not eager is done k · costs.scheduling_delay(0)
///   after its receiver. A message between two of its ranks keeps the receiver's processor busy for
///   k · costs.oversubscription(m) more. As ranks of one core cannot begin at once, all ranks begin
///   (2 k − 1) · costs.start_skew later, with the largest k of all machines. Needs StepMode::drift.
///
///   Paths may cut a message between machines into n parts (paths.hpp) of m/n bytes each, the first ones with what does
///   not divide, and each with a header. In 3 each part is a flow of its own, on a path and a connection of its own;
///   the message has arrived when all have.
///
///   Where packets spread by load (Paths::splits_by_load()) a message is one flow over all of its paths. It waits for
///   the longest latency among these; its rate and the shares of its paths, which change whenever a flow comes or goes,
///   are those of src/planner/flow/adaptive_rates.hpp: the shares that load the links most evenly, and max-min fair
///   rates at these shares. Needs StepMode::drift and no head_of_line.
///
///   So one message alone takes c.send(m) + latencies + m / rate + c.receive(m). When all messages of a participant's
///   step are done its local operations follow, one after the other, and then the step ends. They keep the processor
///   busy for Σ copy(bytes of a copy) + Σ reduce(bytes of a reduction) + Σ cache_refill(bytes of a reduction whose
///   result replaces something that the same step has sent). All ranks begin costs.start after the call.
///
///   drift         every participant and stream goes on as soon as its own step has ended, as MPI programs do
///   synchronous   step s + 1 of all streams begins for all when step s has ended for all. A message belongs to the
///                 step that sends it, its receive is posted. A step has phases, each as long as it takes the
///                 slowest: all send overheads of a participant; the messages; all receive overheads of a
///                 participant; its local operations, of all streams together. Of the messages that leave a NIC, or
///                 inside a machine a rank, the last leaves (messages − 1) · gap after the first, and so does the
///                 whole phase. With load(l) the flows over l, and delay(f) the wait of 3, the last flow ends at
///
///                     max_f delay(f) + max_f bytes(f) · max_l load(l) / capacity(l)
///
///                 if all flows are on connections of their own, and some most loaded link carries only flows of most
///                 delay and bytes: no rate is ever below capacity(l) / load(l) there, and on that link none can be
///                 above. Then nothing but loads is counted; other steps are simulated flow by flow. A link counts as
///                 saturated in the steps in which it is most loaded.
///
///   Events closer than 1e-11 of the time that has passed are one, and rates that agree to 1e-12 are equal: so that
///   rounding does not disturb symmetry.
///
///   background (an option): each SteadyFlow is one more flow f of 3 from the beginning on, with x_f ≤ what it asks
///   for.
///
///   head_of_line (an option): a switch forwards from a port's input queue in order, so a flow that is slowed at link l
///   slows the flows that share the links before l to the same rate; src/planner/flow/fair_rates.hpp has the
///   equation. Needs more time: every change is followed through all flows that are connected with it by shared links.
///
///   packets (an option): switches have queues, and what flows in 3 are packets of PacketOptions::mtu bytes. At the end
///   of each directed link l is a buffer for PacketOptions::buffer packets, first in, first out; a link sends a packet
///   of b bytes for b / capacity(l), and only while the buffer at its end has room (a credit, which returns in no
///   time). The packet at the head of a buffer waits for its next link, and all behind it wait with it: head-of-line
///   blocking. A buffer feeds one link at a time. A link that becomes free takes one of the packets that wait for it,
///   at random; of a NIC's messages, and of the parts of a message, likewise one sends its next packet, as queue pairs
///   alternate. A packet goes on while it is still arriving (cut-through), but onto a faster link only when all of it
///   is there. So a message alone takes as long as a flow. NICs take packets as they come. Limits of NICs and buses are
///   links of that rate, first and last on the path. Links count as saturated while they are busy and packets of
///   others wait for them. Where packets spread by load, a packet that comes to a switch takes, of the links by which
///   its message's paths go on from there, the one with the fewest packets that wait for it in the switch or are in the
///   buffer at its end; of equal ones any. Needs StepMode::drift, no background and no head_of_line.
///
/// Deterministic: the same input gives the same output, bit for bit, on any number of threads.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/artefacts/message_costs.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

enum class StepMode : std::uint8_t { drift, synchronous };

struct PacketOptions {
  /// Bytes of a packet: the most that the adapters of paper 1 take (InfiniBand has MTUs of 256 to 4096 bytes). Headers
  /// are part of what a link's rate leaves out.
  static constexpr Bytes mtu = 2048;
  /// Credits count at most 2048 blocks of 64 bytes (InfiniBand Architecture Specification 1.2, section 7.9.4).
  static constexpr std::uint32_t max_buffer = 2048 * 64 / mtu;
  std::uint32_t buffer = 8;  ///< packets that fit into the buffer at the end of a link: 1 to max_buffer
  std::uint64_t seed = 1;    ///< of the choices among packets
};

struct FlowOptions {
  StepMode steps = StepMode::drift;
  CommunicationCosts costs;
  /// Of messages between machines, by plane, instead of costs.between; nothing, and planes beyond the end: as that.
  /// Their bandwidth counts for nothing: it is the links'.
  std::vector<std::optional<MessageCosts>> on_planes = {};
  bool head_of_line = false;
  /// Whether messages of one connection queue (FIFO). False: they share links as all others do, as in SimGrid.
  bool in_order = true;
  /// By rank: for so many seconds after the others have begun its processor is busy with something else, so that it
  /// takes its first step later. Ranks beyond the end are not late. Needs StepMode::drift.
  std::vector<double> late = {};
  /// Needs StepMode::drift, paths that do not split by load and no head_of_line.
  std::vector<SteadyFlow> background = {};
  /// Packets that queue instead of rates; nothing: rates.
  std::optional<PacketOptions> packets = {};
};

struct HotLinkTime {
  std::uint32_t link = 0;
  double busy = 0;       ///< what it carried of messages, as a share of what it could have carried in that time
  double saturated = 0;  ///< share of the time that it was full and some flow waited for it (synchronous: see above)
  Bytes bytes = 0;       ///< of messages, without their headers
};

struct Prediction {
  double seconds = 0;                  ///< until the last participant is done
  std::vector<double> rank_seconds;    ///< by rank
  std::uint64_t messages = 0;          ///< those inside machines too
  Bytes network_bytes = 0;             ///< without those inside machines
  std::vector<HotLinkTime> hot_links;  ///< those saturated longest first, then the busiest; at most 16
};

/// Errors: a schedule that deadlocks (names participant, stream and step; drift only), packets that wait for each other
/// (names a link), participants that `paths` does not know, options that are negative or not finite. Memory grows with
/// participants, links and messages under way, not with the number of messages.
[[nodiscard]] Result<Prediction> simulate(const Schedule& schedule, const Paths& paths, const FlowOptions& options);

/// One of many runs that have nothing to do with each other.
struct SimulationRun {
  SchedulePtr schedule;
  /// Called when the run begins, possibly by another thread: only the paths of runs under way take memory.
  std::function<Result<std::unique_ptr<Paths>>()> make_paths;
};

/// The predictions of all runs, in their order, on all cores. Errors: those of simulate() and make_paths(), run
/// by run.
[[nodiscard]] std::vector<Result<Prediction>> simulate_all(std::span<const SimulationRun> runs,
                                                           const FlowOptions& options);

}  // namespace ayatori
