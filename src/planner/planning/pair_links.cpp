#include "pair_links.hpp"

#include <algorithm>

#include "ayatori/contention/message_tracer.hpp"

namespace ayatori {

namespace {

/// The first rank of each endpoint.
std::vector<Rank> first_ranks(const JobEndpoints& endpoints) {
  std::vector<Rank> ranks(endpoints.endpoint_count(), no_id);
  for (Rank rank = static_cast<Rank>(endpoints.rank_count()); rank-- > 0;) ranks[endpoints.endpoint_of(rank)] = rank;
  return ranks;
}

}  // namespace

Result<PairLinks> PairLinks::traced(const Network& network, const Routes& routes,
                                    std::span<const PortId> ports_of_ranks, const Plan& plan,
                                    const JobEndpoints& endpoints, const LinkWeights& weights) {
  PairLinks pairs;
  for (std::uint32_t endpoint = 0; endpoint < endpoints.endpoint_count(); ++endpoint) {
    pairs.row_.push_back(plan.is_per_pair() ? endpoint : endpoints.leaf(endpoint));
    pairs.machine_.push_back(network.device(network.port(endpoints.port(endpoint)).device).machine);
  }
  pairs.rows_ = plan.is_per_pair() ? endpoints.endpoint_count() : endpoints.leaf_count();
  const std::vector<Rank> rank = first_ranks(endpoints);
  const MessageTracer tracer(network, routes, ports_of_ranks, plan);
  std::vector<Link> link_of_port(network.port_count(), no_id);
  pairs.begin_.push_back(0);
  for (std::uint32_t to = 0; to < endpoints.endpoint_count(); ++to) {
    for (std::uint32_t from = 0, row = 0; row < pairs.rows_; ++row) {
      // A source of the row that is not on the destination's machine.
      while (from < endpoints.endpoint_count() && pairs.row_[from] < row) ++from;
      std::uint32_t source = from;
      while (source < pairs.row_.size() && pairs.row_[source] == row && pairs.machine_[source] == pairs.machine_[to]) {
        ++source;
      }
      if (source < pairs.row_.size() && pairs.row_[source] == row) {
        const bool arrives = tracer.trace({rank[source], rank[to]}, [&](PortId port) {
          if (tracer.is_endpoint_cable(port)) return;
          if (link_of_port[port] == no_id) {
            link_of_port[port] = pairs.link_count();
            pairs.port_.push_back(port);
            pairs.capacity_.push_back(std::max(1U, ayatori::capacity(1, weights[port])));
          }
          pairs.links_.push_back(link_of_port[port]);
        });
        if (!arrives) {
          return fail("messages from '{}' to '{}' do not arrive on these tables",
                      network.name(network.port(endpoints.port(source)).device),
                      network.name(network.port(endpoints.port(to)).device));
        }
      }
      pairs.begin_.push_back(pairs.links_.size());
    }
  }
  return pairs;
}

}  // namespace ayatori
