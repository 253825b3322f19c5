#pragma once
/// \file
/// How many packets of one flow may be in flight (RFC 9002, section 7), as far as the sender decides it. The receiver
/// decides, too: see admission.hpp.

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace ayatori::transport {

/// What a flow asks of its congestion controller. All counts are packets.
template <typename Controller>
concept CongestionController = requires(Controller controller, const Controller& constant, std::uint32_t packets) {
  controller.on_acknowledged(packets);                   // so many packets in flight have arrived
  controller.on_loss();                                  // packets are known to be lost; once for all found at a time
  controller.on_timeout();                               // nothing was heard for a whole timeout
  { constant.window() } -> std::same_as<std::uint32_t>;  // packets that may be in flight, at least 1
};

/// Additive increase: one packet more for every full window that arrives, up to a maximum. What a loss does is chosen
/// by LossResponse. A few bytes, held by value in every flow.
class AimdController {
 public:
  enum class LossResponse : std::uint8_t {
    halve,  ///< multiplicative decrease, on a loss and on a timeout
    none,   ///< the receiver rations what may be sent (Admission), so a loss says nothing about the window
  };

  AimdController() = default;
  AimdController(std::uint32_t initial, std::uint32_t max, LossResponse response)
      : window_(static_cast<std::uint16_t>(initial)), max_(static_cast<std::uint16_t>(max)), response_(response) {}

  void on_acknowledged(std::uint32_t packets) {
    acknowledged_ = static_cast<std::uint16_t>(acknowledged_ + packets);
    if (acknowledged_ < window_) return;
    acknowledged_ = 0;
    window_ = std::min(static_cast<std::uint16_t>(window_ + 1), max_);
  }

  void on_loss() {
    if (response_ == LossResponse::halve) window_ = std::max(std::uint16_t{1}, static_cast<std::uint16_t>(window_ / 2));
  }

  /// Not down to the minimum, as RFC 9002 (section 7.6) has it: losses here are full buffers far more often than a path
  /// that is congested for long.
  void on_timeout() { on_loss(); }

  [[nodiscard]] std::uint32_t window() const { return window_; }

 private:
  std::uint16_t window_ = 1;
  std::uint16_t acknowledged_ = 0;  // since the window last grew
  std::uint16_t max_ = 1;
  LossResponse response_ = LossResponse::none;
};

static_assert(CongestionController<AimdController>);

/// The controller of flows, and of puts and gets. Another one is chosen here, and nowhere else.
using FlowCongestionController = AimdController;

}  // namespace ayatori::transport
