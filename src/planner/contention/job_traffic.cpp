#include "job_traffic.hpp"

#include <fmt/core.h>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

Result<JobEndpoints> endpoints_of(const JobTraffic& job) {
  if (job.plan.rank_count() != job.endpoints.size()) {
    return fail("a plan for {} ranks does not fit a job of {} ranks", job.plan.rank_count(), job.endpoints.size());
  }
  return JobEndpoints::of(job.network, job.endpoints, job.steps);
}

Failure not_arriving(const JobTraffic& job, const Message& message) {
  const auto name = [&](Rank rank) {
    const Port& port = job.network.port(job.endpoints[rank]);
    return fmt::format("rank {} ('{}' port {})", rank, job.network.name(port.device), port.number);
  };
  if (!is_reachable(job.network, job.endpoints[message.from], job.endpoints[message.to])) {
    return fail("the job lies in several parts of the network: no cables lead from {} to {}", name(message.from),
                name(message.to));
  }
  const LidRange range = job.routes.lids.of(job.endpoints[message.to]);
  if (range.base == 0) return fail("{} has no LID in these tables", name(message.to));
  const std::uint8_t bits = job.plan.path_bits(message.from, message.to);
  if (bits >= range.count()) {
    return fail("the plan wants path bits {} for {}, which has LMC {}", bits, name(message.to), range.lmc);
  }
  return fail("messages from {} to {} by LID {:#06x} do not arrive", name(message.from), name(message.to),
              range.base + bits);
}

}  // namespace ayatori
