#pragma once
/// \file
/// A faster trace() (tables.hpp) for the hundreds of millions of messages of a job: all that a hop needs is stored
/// together.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

class MessageTracer {
 public:
  /// What a link carries of messages: their number.
  using Load = std::uint32_t;

  MessageTracer(const Network& network, const Routes& routes, std::span<const PortId> endpoints, const Plan& plan);

  /// Calls `visit(PortId)` with each directed link that the message takes. False if it does not arrive.
  template <typename Visit>
  bool trace(const Message& message, Visit&& visit) const {
    return trace(message.from, message.to, plan_.path_bits(message.from, message.to), visit);
  }

  /// The same by these path bits, whatever the plan says.
  template <typename Visit>
  bool trace(Rank from, Rank to, std::uint8_t bits, Visit&& visit) const {
    const Receiver& receiver = receivers_[to];
    if (bits >= receiver.lids) return false;
    const auto lid = static_cast<Lid>(receiver.base + bits);
    PortId link = receivers_[from].port;
    for (std::uint32_t hops = 0; hops <= max_hops_; ++hops) {
      const LinkEnd& end = ends_[link];
      if (end.port == no_id) return false;
      visit(link);
      if (end.port == receiver.port) return true;
      if (end.router == no_id) return false;
      const PortNumber out = tables_.out(end.router, lid);
      if (out == 0 || out > end.port_count) return false;
      link = end.first_slot + out;
    }
    return false;
  }

  /// True if one end of this link is a NIC.
  [[nodiscard]] bool is_endpoint_cable(PortId link) const { return ends_[link].endpoint_cable; }

 private:
  struct Receiver {
    PortId port = no_id;
    std::uint16_t lids = 0;  ///< 0: the port has no LID
    Lid base = 0;
  };

  /// Where a directed link arrives.
  struct LinkEnd {
    PortId port = no_id;        ///< no_id: no cable
    DeviceId router = no_id;    ///< no_id: a NIC
    PortId first_slot = no_id;  ///< of the router
    PortNumber port_count = 0;  ///< of the router
    bool endpoint_cable = false;
  };

  const ForwardingTables& tables_;
  const Plan& plan_;
  std::size_t max_hops_;
  std::vector<Receiver> receivers_;  // by rank
  std::vector<LinkEnd> ends_;        // by port
};

}  // namespace ayatori
