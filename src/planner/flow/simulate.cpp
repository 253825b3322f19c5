#include "ayatori/flow/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "ayatori/base/parallel.hpp"
#include "modes.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_hot_links = 16;

Result<> check(double value, std::string_view name) {
  if (std::isfinite(value) && value >= 0) return {};
  return fail("{} must be a number from 0 on, not {}", name, value);
}

Result<> check(const SizeCost& cost, std::string_view name) {
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (i > 0 && cost[i].from <= cost[i - 1].from) return fail("the sizes of {} must rise", name);
    if (auto checked = check(cost[i].seconds, name); !checked) return checked;
    if (auto checked = check(cost[i].seconds_per_byte, name); !checked) return checked;
  }
  return {};
}

Result<> check(const MessageCosts& costs) {
  for (const auto& checked :
       {check(costs.latency, "the latency of a message"), check(costs.send, "the overhead of sending"),
        check(costs.receive, "the overhead of receiving"), check(costs.gap, "the gap between messages"),
        check(costs.rendezvous, "the latency of a rendezvous")}) {
    if (!checked) return checked;
  }
  return {};
}

Result<> check_packets(const FlowOptions& options) {
  if (!options.packets) return {};
  if (options.packets->buffer < 1 || options.packets->buffer > PacketOptions::max_buffer) {
    return fail("a link has a buffer for 1 to {} packets, not for {}", PacketOptions::max_buffer,
                options.packets->buffer);
  }
  if (options.head_of_line) return fail("head-of-line blocking is of rates, and packets block each other anyway");
  if (options.steps == StepMode::synchronous) return fail("packets are simulated in steps that drift only");
  if (!options.background.empty()) return fail("background traffic has rates, and packets have none");
  return {};
}

}  // namespace

Result<> check_options(const FlowOptions& options) {
  for (const auto& checked :
       {check(options.costs.between), check(options.costs.inside),
        check(options.costs.between.bandwidth, "the rate of injection"),
        check(options.costs.inside.bandwidth, "the rate of the bus"),
        check(options.costs.copy, "the time of local copies"), check(options.costs.reduce, "the time of reductions"),
        check(options.costs.cache_refill, "the time of replacing what was sent"),
        check(options.costs.start, "the time until the first step"),
        check(options.costs.scheduling_delay, "the scheduling delay"),
        check(options.costs.start_skew, "the start skew"),
        check(options.costs.oversubscription, "the time of messages of ranks that share cores")}) {
    if (!checked) return checked;
  }
  for (const double late : options.late) {
    if (auto checked = check(late, "the time that a rank is late"); !checked) return checked;
  }
  if (!options.late.empty() && options.steps != StepMode::drift) return fail("ranks are late in steps that drift only");
  for (const SteadyFlow& flow : options.background) {
    if (auto checked = check(flow.bytes_per_second, "the rate of background traffic"); !checked) return checked;
  }
  if (!options.background.empty() && options.head_of_line) {
    return fail("head-of-line blocking is not modelled with background traffic");
  }
  if (!options.background.empty() && options.steps == StepMode::synchronous) {
    return fail("synchronous steps count the loads of messages alone, and there is background traffic");
  }
  for (const auto& costs : options.on_planes) {
    if (!costs) continue;
    if (auto checked = check(*costs); !checked) return checked;
  }
  return check_packets(options);
}

Result<> check_split(const Paths& paths, const FlowOptions& options) {
  if (!paths.splits_by_load()) return {};
  if (!options.background.empty()) return fail("background traffic has one path, and packets spread by load");
  if (options.head_of_line) return fail("head-of-line blocking is not modelled where packets spread by load");
  if (options.steps == StepMode::synchronous) {
    return fail("synchronous steps count the loads of fixed paths, and packets spread by load");
  }
  return {};
}

Result<> check_participants(const Schedule& schedule, const Paths& paths) {
  if (schedule.participant_count() <= paths.participant_count()) return {};
  return fail("a schedule of {} participants does not fit on paths of {}", schedule.participant_count(),
              paths.participant_count());
}

namespace {

bool overlap(const SlotRange& a, const SlotRange& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/// Whether one of the step's messages takes something out of these slots.
bool sends_of(const StepActions& actions, const SlotRange& slots) {
  return std::ranges::any_of(actions.sends, [&](const Transfer& transfer) {
    const auto ranges = std::span(actions.ranges).subspan(transfer.first_range, transfer.range_count);
    return std::ranges::any_of(ranges, [&](const SlotRange& range) { return overlap(range, slots); });
  });
}

}  // namespace

double local_seconds(const Schedule& schedule, Rank participant, const StepActions& actions,
                     const FlowOptions& options) {
  const CommunicationCosts& costs = options.costs;
  if (participant >= schedule.call().ranks) return 0;
  if (costs.copy.empty() && costs.reduce.empty() && costs.cache_refill.empty()) return 0;
  double seconds = 0;
  for (const LocalOperation& operation : actions.locals) {
    const Bytes bytes = bytes_in(schedule, participant, operation.from);
    const bool copies = operation.kind == LocalOperation::Kind::copy;
    seconds += seconds_of(copies ? costs.copy : costs.reduce, bytes);
    if (!copies && !costs.cache_refill.empty() && sends_of(actions, {operation.to, operation.from.count})) {
      seconds += seconds_of(costs.cache_refill, bytes);
    }
  }
  return seconds;
}

std::vector<HotLinkTime> hottest_links(const Resources& resources, const std::vector<Bytes>& bytes,
                                       const std::vector<double>& saturated, double seconds) {
  std::vector<HotLinkTime> links;
  for (std::uint32_t link = 0; link < bytes.size(); ++link) {
    if (bytes[link] == 0 || seconds == 0) continue;
    const double busy = static_cast<double>(bytes[link]) / (resources.capacity()[link] * seconds);
    links.push_back({link, busy, saturated[link] / seconds, bytes[link]});
  }
  const auto hotter = [](const HotLinkTime& a, const HotLinkTime& b) {
    if (a.saturated != b.saturated) return a.saturated > b.saturated;
    return a.busy != b.busy ? a.busy > b.busy : a.link < b.link;
  };
  const auto kept = std::min(links.size(), max_hot_links);
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(kept), links.end(), hotter);
  links.resize(kept);
  return links;
}

Failure no_such_peer(const Schedule& schedule, Rank from, Rank peer, std::uint32_t stream, std::size_t step) {
  return fail("participant {} talks to {} in step {} of stream {}, but there are {}", from, peer, step, stream,
              schedule.participant_count());
}

namespace {

/// All ranks begin so much after the call.
void begin_later(Prediction& prediction, double seconds) {
  if (seconds == 0) return;
  const double later = prediction.seconds + seconds;
  for (HotLinkTime& link : prediction.hot_links) {
    link.busy *= prediction.seconds / later;
    link.saturated *= prediction.seconds / later;
  }
  for (double& rank : prediction.rank_seconds) rank += seconds;
  prediction.seconds = later;
}

}  // namespace

Result<Prediction> simulate(const Schedule& schedule, const Paths& paths, const FlowOptions& options) {
  if (auto checked = check_options(options); !checked) return Failure(checked.error());
  if (auto checked = check_participants(schedule, paths); !checked) return Failure(checked.error());
  if (auto checked = check_split(paths, options); !checked) return Failure(checked.error());
  const Resources resources(paths, options);
  if (resources.ranks_share_cores() && options.steps == StepMode::synchronous) {
    return fail("ranks that share cores drift, so synchronous steps are not simulated with more ranks than cores");
  }
  auto prediction = options.steps == StepMode::drift ? simulate_drift(schedule, resources, options)
                                                     : simulate_synchronous(schedule, resources, options);
  if (prediction) begin_later(*prediction, options.costs.start + resources.start_skew());
  return prediction;
}

std::vector<Result<Prediction>> simulate_all(std::span<const SimulationRun> runs, const FlowOptions& options) {
  std::vector<Result<Prediction>> predictions(runs.size());
  parallel_for({.count = runs.size()}, [&](std::size_t i) {
    const auto paths = runs[i].make_paths();
    predictions[i] = paths ? simulate(*runs[i].schedule, **paths, options) : Failure(paths.error());
  });
  return predictions;
}

}  // namespace ayatori
