#pragma once
/// \file
/// Two wires as one: shared memory for the peers on this machine, and a network for all others.

#include <memory>

#include "ayatori/driver/clock.hpp"
#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

class CombinedWire final : public PollableWire {
 public:
  using Nearby = std::function<bool(transport::PeerId)>;

  /// `nearby` says which peers the near wire reaches. `clock` limits how often the far wire is polled, and must outlive
  /// this wire.
  CombinedWire(std::unique_ptr<PollableWire> near, std::unique_ptr<PollableWire> far, Nearby nearby,
               Clock& clock = steady_clock())
      : near_(std::move(near)), far_(std::move(far)), nearby_(std::move(nearby)), clock_(clock) {}

  /// The smaller one of both: the transport cuts messages into packets of one size.
  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool lossless(transport::PeerId peer) const override { return of(peer).lossless(peer); }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override;
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override;
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void withdraw() override;
  void disown() override;

 private:
  [[nodiscard]] PollableWire& of(transport::PeerId peer) const { return *(nearby_(peer) ? near_ : far_); }

  std::unique_ptr<PollableWire> near_;
  std::unique_ptr<PollableWire> far_;
  Nearby nearby_;
  Clock& clock_;
  transport::Time polled_far_{};  // when the far wire had no more
};

}  // namespace ayatori::wires
