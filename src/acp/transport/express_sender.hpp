#pragma once
/// \file
/// Sends what travels express: see express_path.hpp, and docs/decisions/0103-express-packets.md.

#include "outbox.hpp"
#include "outgoing_flows.hpp"
#include "shared.hpp"

namespace ayatori::transport {

class ExpressSender {
 public:
  ExpressSender(Shared& shared, OutgoingFlows& flows, Outbox& outbox)
      : shared_(shared), flows_(flows), outbox_(outbox) {}

  /// Fills a fresh packet; false if nothing may travel express now. To be followed by settle().
  [[nodiscard]] bool next_packet(Packet& packet);

  /// Whether the wire took the packet of next_packet().
  void settle(Time now, bool taken);

  /// Offers a refused packet again, or asks the peer to confirm what it was sent, if the flow's deadline was for that.
  [[nodiscard]] bool handle_deadline(ContextId id, Time now);

 private:
  void finish(ContextId id, Time now);
  void hold_back(ContextId id, Time now);

  Shared& shared_;
  OutgoingFlows& flows_;
  Outbox& outbox_;
};

}  // namespace ayatori::transport
