#include "ayatori/contention/message_tracer.hpp"

namespace ayatori {

MessageTracer::MessageTracer(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                             const Plan& plan)
    : tables_(routes.tables), plan_(plan), max_hops_(network.router_count()), ends_(network.port_count()) {
  for (const PortId endpoint : endpoints) {
    const LidRange range = routes.lids.of(endpoint);
    const bool in_tables = range.base != 0 && range.base + range.count() - 1 <= tables_.last_lid();
    receivers_.push_back({endpoint, static_cast<std::uint16_t>(in_tables ? range.count() : 0), range.base});
  }
  for (PortId link = 0; link < network.port_count(); ++link) {
    const Port& from = network.port(link);
    if (!from.connected()) continue;
    LinkEnd& end = ends_[link];
    end.port = from.peer;
    const DeviceId node = network.port(from.peer).device;
    end.endpoint_cable = !network.is_router(from.device) || !network.is_router(node);
    if (!network.is_router(node)) continue;
    end.router = node;
    end.first_slot = network.device(node).first_slot;
    end.port_count = network.device(node).port_count;
  }
}

}  // namespace ayatori
