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
  controller.on_lost(packets);                           // so many packets in flight are known to be lost
  controller.on_silence();                               // nothing was heard for several timeouts
  { constant.window() } -> std::same_as<std::uint32_t>;  // packets that may be in flight, at least 1
};

/// Additive increase: one packet more for every full window that arrives, up to a maximum. Each lost packet takes half
/// a packet from the window, and silence halves it. A flow does not report losses while its receiver rations what may
/// be sent (Admission): they say nothing of the network. A few bytes, held by value in every flow.
///
/// A share p of packets lost leaves a window of about 2 (1 - p) / p packets: 198 of those lost one in a hundred, 38 at
/// 5 %, 8 at 20 %. Halving for each loss, as RFC 9002 (section 7.3) has it, would leave sqrt(2 / p), 14, 6 and 3: it
/// takes a packet lost by chance for a queue that is full. Here a full queue is known by how much of a window it drops.
class AimdController {
 public:
  AimdController() = default;
  AimdController(std::uint32_t initial, std::uint32_t max)
      : window_(static_cast<std::uint16_t>(initial)), max_(static_cast<std::uint16_t>(max)) {}

  void on_acknowledged(std::uint32_t packets) {
    acknowledged_ = static_cast<std::uint16_t>(acknowledged_ + packets);
    if (acknowledged_ < window_) return;
    acknowledged_ = 0;
    window_ = std::min(static_cast<std::uint16_t>(window_ + 1), max_);
  }

  void on_lost(std::uint32_t packets) {
    lost_ += packets;
    const std::uint32_t taken = std::min(lost_ / 2, window_ - 1U);
    window_ = static_cast<std::uint16_t>(window_ - taken);
    lost_ %= 2;
  }

  /// Not down to the minimum, as RFC 9002 (section 7.6) has it: losses here are full buffers far more often than a path
  /// that is congested for long.
  void on_silence() { window_ = std::max(std::uint16_t{1}, static_cast<std::uint16_t>(window_ / 2)); }

  [[nodiscard]] std::uint32_t window() const { return window_; }

 private:
  std::uint16_t window_ = 1;
  std::uint16_t acknowledged_ = 0;  // since the window last grew
  std::uint16_t max_ = 1;
  std::uint32_t lost_ = 0;  // packets that have not taken anything from the window yet: 0 or 1
};

static_assert(CongestionController<AimdController>);

/// The controller of flows, and of puts and gets. Another one is chosen here, and nowhere else.
using FlowCongestionController = AimdController;

}  // namespace ayatori::transport
