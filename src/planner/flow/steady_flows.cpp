#include "ayatori/flow/paths.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

Result<std::vector<SteadyFlow>> steady_flows(const Network& network, const Routes& routes) {
  std::vector<SteadyFlow> flows;
  for (const BackgroundFlow& asked : network.background()) {
    SteadyFlow& flow = flows.emplace_back();
    flow.bytes_per_second = asked.rate.bytes_per_second();
    const auto take = [&](PortId link) { flow.links.push_back(link); };
    const Lid lid = routes.lids.of(asked.to).base;
    if (lid != 0 && trace(network, routes, asked.from, lid, take)) continue;
    return fail("background traffic from '{}' to '{}' does not arrive", network.label(network.port(asked.from).device),
                network.label(network.port(asked.to).device));
  }
  return flows;
}

}  // namespace ayatori
