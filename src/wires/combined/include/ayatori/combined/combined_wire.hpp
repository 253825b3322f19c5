#pragma once
/// \file
/// Two wires as one: shared memory for the peers of this node, and a network for all others.

#include <chrono>
#include <memory>

#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

class CombinedWire final : public PollableWire {
 public:
  using Nearby = std::function<bool(transport::PeerId)>;

  /// `nearby` says whom the near wire reaches. Error: no descriptor is left.
  [[nodiscard]] static Result<std::unique_ptr<CombinedWire>> make(std::unique_ptr<PollableWire> near,
                                                                  std::unique_ptr<PollableWire> far, Nearby nearby);

  /// The smaller of both: the transport cuts messages to one size.
  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool lossless(transport::PeerId peer) const override { return of(peer).lossless(peer); }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override;
  std::size_t poll(std::size_t most, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration longest) override;
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void withdraw() override;
  void disown() override;

 private:
  [[nodiscard]] PollableWire& of(transport::PeerId peer) const { return *(nearby_(peer) ? near_ : far_); }

  CombinedWire(Descriptor bell, std::unique_ptr<PollableWire> near, std::unique_ptr<PollableWire> far, Nearby nearby);

  std::unique_ptr<PollableWire> near_;
  std::unique_ptr<PollableWire> far_;
  Nearby nearby_;
  std::chrono::steady_clock::time_point polled_far_;  // when it had no more
};

}  // namespace ayatori::wires
