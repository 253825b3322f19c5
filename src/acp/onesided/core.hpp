#pragma once
/// \file
/// What the parts of a GlobalMemory share: the endpoint, the memory of this process, and the time of this round.

#include "ayatori/onesided/memory.hpp"
#include "calls.hpp"
#include "connections.hpp"
#include "lost_ranks.hpp"
#include "transfers.hpp"

namespace ayatori::onesided {

using transport::Duration;
using transport::never;
using transport::Time;
using transport::Token;

/// The part of GlobalMemory that a token belongs to: the upper byte of the token. That part chooses the other bytes.
enum class Purpose : std::uint8_t { fetch, operation, delegation, barrier, watch, channel, connection };

inline constexpr std::uint32_t purpose_shift = 56;
[[nodiscard]] constexpr Token token_of(Purpose purpose, std::uint64_t number = 0) {
  return static_cast<Token>(purpose) << purpose_shift | number;
}
[[nodiscard]] constexpr Purpose purpose_of(Token token) { return static_cast<Purpose>(token >> purpose_shift); }
[[nodiscard]] constexpr std::uint64_t number_of(Token token) { return token & ((Token{1} << purpose_shift) - 1); }

/// The time until a peer that answered `busy` is asked again.
inline constexpr Duration busy_pause = std::chrono::microseconds(100);

struct Core {
  explicit Core(const Settings& settings)
      : self(settings.identity.self),
        space(settings.procs),
        memory(space, self, settings.identity.seed),
        transfers(settings.known_regions),
        connections(*this, settings) {}

  Rank self;
  AddressSpace space;
  Memory memory;
  Transfers transfers;
  Connections connections;
  LostRanks lost;
  transport::Endpoint* endpoint = nullptr;
  Time now{};
  bool endpoint_reported = false;  ///< called back since the last round: what was refused may succeed now
  bool asked = false;              ///< the endpoint was given something to send

  /// Sends what may be lost or come twice. False: no room now.
  [[nodiscard]] bool notify(Rank to, const Call& call) {
    const bool taken = endpoint->notify(now, to, encode(call));
    asked |= taken;
    return taken;
  }

  /// False: no room now.
  [[nodiscard]] bool call(Rank to, const Call& call, Token token) {
    const bool taken = endpoint->call(now, to, encode(call), token);
    asked |= taken;
    return taken;
  }
};

}  // namespace ayatori::onesided
