#pragma once
/// \file
/// Whether a flow's packets may travel express, which is without acknowledgement and timer, since the wire loses
/// nothing: a state machine, one in each flow. docs/decisions/0103-express-packets.md has the argument.

#include <optional>

#include "ayatori/transport/flow_state.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

class ExpressPath {
 public:
  /// A wire may refuse packets for this long; then the flow's messages go where they are acknowledged and repeated.
  static constexpr Duration max_refusal = std::chrono::milliseconds(1);

  /// The first of the pauses between two attempts. Each pause is as long as all the time since the first refusal.
  static constexpr Duration first_pause = std::chrono::microseconds(1);

  [[nodiscard]] ExpressState state() const { return state_; }
  [[nodiscard]] bool usable() const { return state_ == ExpressState::allowed || state_ == ExpressState::unconfirmed; }

  /// The wire to the peer loses nothing. Of a fresh path.
  void allow() { state_ = ExpressState::allowed; }

  /// The wire took a packet. True if the peer has to confirm from now on, which it had not before.
  [[nodiscard]] bool taken() {
    refused_since_ = never;
    if (state_ != ExpressState::allowed) return false;
    state_ = ExpressState::unconfirmed;
    return true;
  }

  /// The wire refused a packet. How long to wait before the next attempt; nothing: it was refused for too long, and the
  /// path is suspended.
  [[nodiscard]] std::optional<Duration> refused(Time now);

  /// What a deadline of the flow was for.
  enum class Due : std::uint8_t {
    nothing,  ///< nothing that travels express
    retry,    ///< offer the refused packet again
    confirm,  ///< ask the peer; the path is suspended until it answers
  };
  /// `has_packet`: the flow has a packet that may travel express.
  [[nodiscard]] Due deadline_passed(bool has_packet);

  /// The peer has acknowledged something. It took all that the wire had before, since the wire keeps the order.
  void acknowledged() {
    if (state_ == ExpressState::suspended) state_ = ExpressState::allowed;
  }

 private:
  ExpressState state_ = ExpressState::off;
  Time refused_since_ = never;
};

}  // namespace ayatori::transport
