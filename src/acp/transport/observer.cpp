#include "ayatori/transport/observer.hpp"

#include <array>

namespace ayatori::transport {

std::string_view name(PacketKind kind) {
  // In the order of PacketKind, which starts at 1.
  constexpr std::array names{"",    "data", "acknowledgement", "ask",  "retire", "close",   "renew",  "reset", "busy",
                             "put", "get",  "contents",        "done", "stale",  "refused", "express"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view name(LossReason reason) {
  constexpr std::array names{"overtaken", "not_in_answer", "timeout", "renewed", "peer_lost"};
  return names.at(static_cast<std::size_t>(reason));
}

std::string_view name(Timer timer) {
  constexpr std::array names{"loss", "idle", "hold", "express", "operation"};
  return names.at(static_cast<std::size_t>(timer));
}

}  // namespace ayatori::transport
