#include "ayatori/contention/job_endpoints.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// The job's endpoints, each once, in network order.
std::vector<PortId> endpoints_in_order(const Network& network, std::span<const PortId> ports_of_ranks) {
  std::vector<bool> used(network.port_count(), false);
  for (const PortId port : ports_of_ranks) used[port] = true;
  std::vector<PortId> endpoints;
  for (const PortId port : network.endpoints()) {
    if (used[port]) endpoints.push_back(port);
  }
  return endpoints;
}

}  // namespace

Result<JobEndpoints> JobEndpoints::of(const Network& network, std::span<const PortId> ports_of_ranks,
                                      const StepSequence& steps) {
  if (ports_of_ranks.size() != steps.rank_count()) {
    return fail("a pattern of {} ranks does not fit a job of {} ranks", steps.rank_count(), ports_of_ranks.size());
  }
  JobEndpoints endpoints;
  endpoints.port_ = endpoints_in_order(network, ports_of_ranks);

  std::vector<std::uint32_t> number_of_port(network.port_count(), no_id);
  std::vector<std::uint32_t> leaf_of_router(network.router_count(), no_id);
  for (std::uint32_t endpoint = 0; endpoint < endpoints.endpoint_count(); ++endpoint) {
    number_of_port[endpoints.port_[endpoint]] = endpoint;
    const DeviceId router = network.router_of(endpoints.port_[endpoint]);
    std::uint32_t leaf = router == no_id ? no_id : leaf_of_router[router];
    if (leaf == no_id) {
      leaf = endpoints.leaf_count();
      endpoints.first_endpoint_.push_back(endpoint);
      if (router != no_id) leaf_of_router[router] = leaf;
    }
    endpoints.leaf_.push_back(leaf);
  }
  for (const PortId id : ports_of_ranks) {
    const Port& port = network.port(id);
    if (number_of_port[id] == no_id) {
      return fail("'{}' port {} has no cable", network.name(port.device), port.number);
    }
    endpoints.endpoint_of_rank_.push_back(number_of_port[id]);
    endpoints.machine_of_rank_.push_back(network.device(port.device).machine);
  }
  return endpoints;
}

LinkWeights::LinkWeights(const Network& network, std::span<const PortId> endpoints) : weight_(network.port_count(), 1) {
  double reference = 0;
  for (const PortId endpoint : endpoints) {
    reference = std::max(reference, network.port(endpoint).rate.bytes_per_second());
  }
  for (PortId link = 0; link < network.port_count(); ++link) {
    const double rate = network.port(link).rate.bytes_per_second();
    if (reference > 0 && rate > 0) weight_[link] = reference / rate;
  }
}

std::uint32_t capacity(double time, double weight) {
  // Rounded division may miss by one; hot spots are recognised by the product.
  auto messages = static_cast<std::uint32_t>(time / weight);
  while ((messages + 1) * weight <= time) ++messages;
  while (messages > 0 && messages * weight > time) --messages;
  return messages;
}

IdealTime::IdealTime(const Network& network, const JobEndpoints& endpoints, const LinkWeights& weights)
    : endpoints_(endpoints), sent_(endpoints.endpoint_count(), 0), received_(endpoints.endpoint_count(), 0) {
  for (std::uint32_t endpoint = 0; endpoint < endpoints.endpoint_count(); ++endpoint) {
    send_weight_.push_back(weights[endpoints.port(endpoint)]);
    receive_weight_.push_back(weights[network.port(endpoints.port(endpoint)).peer]);
  }
}

double IdealTime::of(std::span<const Message> messages) {
  for (const Message& m : messages) {
    if (!endpoints_.uses_network(m)) continue;
    ++sent_[endpoints_.endpoint_of(m.from)];
    ++received_[endpoints_.endpoint_of(m.to)];
  }
  double longest = 0;
  for (const Message& m : messages) {
    const std::uint32_t from = endpoints_.endpoint_of(m.from);
    const std::uint32_t to = endpoints_.endpoint_of(m.to);
    longest = std::max({longest, sent_[from] * send_weight_[from], received_[to] * receive_weight_[to]});
  }
  for (const Message& m : messages) sent_[endpoints_.endpoint_of(m.from)] = received_[endpoints_.endpoint_of(m.to)] = 0;
  return longest;
}

}  // namespace ayatori
