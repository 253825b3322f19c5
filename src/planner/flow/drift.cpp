#include "drifting_schedule.hpp"
#include "modes.hpp"

namespace ayatori {

Result<Prediction> simulate_drift(const Schedule& schedule, const Resources& resources, const FlowOptions& options) {
  Traffic traffic(resources, options);
  const Rank ranks = schedule.call().ranks;
  DriftingSchedule drifting(schedule, options, traffic, {.ranks = 0, .routers = ranks}, 0);
  drifting.begin();
  std::vector<Token> completed;
  do {
    for (const Token token : completed) drifting.complete(token);
    if (auto advanced = drifting.advance(); !advanced) return Failure(advanced.error());
  } while (traffic.advance(completed));
  if (auto moves = traffic.check_packets(); !moves) return Failure(moves.error());
  Prediction result;
  result.seconds = drifting.end();
  result.rank_seconds = drifting.rank_ends();
  result.messages = drifting.messages();
  result.network_bytes = drifting.network_bytes();
  result.hot_links = hottest_links(resources, traffic.link_bytes(), traffic.saturated_seconds(), result.seconds);
  return result;
}

}  // namespace ayatori
