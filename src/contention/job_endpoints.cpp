#include "ayatori/contention/job_endpoints.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// The job's endpoints, each once, in network order.
std::vector<PortId> nodes_in_order(const Network& network, std::span<const PortId> endpoints) {
  std::vector<bool> used(network.port_count(), false);
  for (const PortId endpoint : endpoints) used[endpoint] = true;
  std::vector<PortId> nodes;
  for (const PortId endpoint : network.endpoints()) {
    if (used[endpoint]) nodes.push_back(endpoint);
  }
  return nodes;
}

}  // namespace

Result<JobEndpoints> JobEndpoints::of(const Network& network, std::span<const PortId> endpoints,
                                      const StepSequence& steps) {
  if (endpoints.size() != steps.rank_count()) {
    return fail("a pattern of {} ranks does not fit a job of {} ranks", steps.rank_count(), endpoints.size());
  }
  JobEndpoints nodes;
  nodes.endpoint_ = nodes_in_order(network, endpoints);

  std::vector<std::uint32_t> node_of_endpoint(network.port_count(), no_id);
  std::vector<std::uint32_t> site_of_router(network.router_count(), no_id);
  for (std::uint32_t node = 0; node < nodes.node_count(); ++node) {
    node_of_endpoint[nodes.endpoint_[node]] = node;
    const DeviceId router = network.router_of(nodes.endpoint_[node]);
    std::uint32_t site = router == no_id ? no_id : site_of_router[router];
    if (site == no_id) {
      site = nodes.site_count();
      nodes.first_node_.push_back(node);
      if (router != no_id) site_of_router[router] = site;
    }
    nodes.site_.push_back(site);
  }
  for (const PortId endpoint : endpoints) {
    const Port& port = network.port(endpoint);
    if (node_of_endpoint[endpoint] == no_id) {
      return fail("'{}' port {} has no cable", network.name(port.device), port.number);
    }
    nodes.node_of_rank_.push_back(node_of_endpoint[endpoint]);
    nodes.machine_of_rank_.push_back(network.device(port.device).machine);
  }
  return nodes;
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
  // Rounded division may miss by one; hot spots are told by the product.
  auto messages = static_cast<std::uint32_t>(time / weight);
  while ((messages + 1) * weight <= time) ++messages;
  while (messages > 0 && messages * weight > time) --messages;
  return messages;
}

IdealTime::IdealTime(const Network& network, const JobEndpoints& nodes, const LinkWeights& weights)
    : nodes_(nodes), sent_(nodes.node_count(), 0), received_(nodes.node_count(), 0) {
  for (std::uint32_t node = 0; node < nodes.node_count(); ++node) {
    send_weight_.push_back(weights[nodes.endpoint(node)]);
    receive_weight_.push_back(weights[network.port(nodes.endpoint(node)).peer]);
  }
}

double IdealTime::of(std::span<const Message> messages) {
  for (const Message& m : messages) {
    if (!nodes_.uses_network(m)) continue;
    ++sent_[nodes_.node_of(m.from)];
    ++received_[nodes_.node_of(m.to)];
  }
  double longest = 0;
  for (const Message& m : messages) {
    const std::uint32_t from = nodes_.node_of(m.from);
    const std::uint32_t to = nodes_.node_of(m.to);
    longest = std::max({longest, sent_[from] * send_weight_[from], received_[to] * receive_weight_[to]});
  }
  for (const Message& m : messages) sent_[nodes_.node_of(m.from)] = received_[nodes_.node_of(m.to)] = 0;
  return longest;
}

}  // namespace ayatori
