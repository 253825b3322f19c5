#include "ayatori/contention/beside.hpp"

#include <algorithm>

#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "job_traffic.hpp"

namespace ayatori {

std::vector<Crowd> crowds_of(const Network& network, std::span<const Footprint> others) {
  std::vector<Crowd> crowds(network.port_count(), Crowd{});
  for (const Footprint& other : others) {
    for (const LinkUse& use : other.links) {
      Crowd& crowd = crowds[use.link];
      // From the largest crowd on: each grows out of the one before it, as that was without this job.
      for (std::size_t k = crowd.size(); k-- > 0;) {
        const double one_less = k == 0 ? 1 : crowd[k - 1];
        crowd[k] += (one_less - crowd[k]) * other.share(use);
      }
    }
  }
  return crowds;
}

Result<double> bandwidth_beside(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                const Plan& plan, const StepSequence& steps, std::span<const Footprint> others) {
  const JobTraffic job{network, routes, endpoints, plan, steps};
  const auto job_endpoints = endpoints_of(job);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const MessageTracer tracer(network, routes, endpoints, plan);
  const LinkWeights weights(network, endpoints);
  const std::vector<Crowd> crowds = crowds_of(network, others);
  IdealTime ideal_time(network, *job_endpoints, weights);
  std::vector<std::uint32_t> load(network.port_count(), 0);
  std::vector<PortId> touched;
  std::vector<Message> messages;
  double ideal = 0;
  double time = 0;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    for (const Message& message : messages) {
      if (!job_endpoints->uses_network(message)) continue;
      const auto count = [&](PortId link) {
        if (load[link]++ == 0) touched.push_back(link);
      };
      if (!tracer.trace(message, count)) return not_arriving(job, message);
    }
    Crowd nobody;
    nobody.fill(1);
    double longest = 0;
    for (const PortId link : touched) {
      longest = std::max(longest, load[link] * weights[link]);
      for (std::size_t k = 0; k < nobody.size(); ++k) nobody[k] *= 1 - crowds[link][k];
      load[link] = 0;
    }
    if (!touched.empty()) {
      ideal += ideal_time.of(messages);
      time += longest;
      for (const double none : nobody) time += 1 - none;
    }
    touched.clear();
  }
  return time == 0 ? 1 : ideal / time;
}

}  // namespace ayatori
