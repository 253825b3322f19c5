#pragma once
/// \file
/// A wire together with the lookup of its peers' addresses, which is served whenever the wire is polled or woken.

#include <memory>

#include "ayatori/lookup/address_lookup.hpp"
#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

class LookedUpWire final : public PollableWire {
 public:
  /// `inner` finds its peers by `lookup`, which knows this process's own address.
  LookedUpWire(std::unique_ptr<AddressLookup> lookup, std::unique_ptr<PollableWire> inner)
      : lookup_(std::move(lookup)), inner_(std::move(inner)) {}

  [[nodiscard]] std::size_t datagram_bytes() const override { return inner_->datagram_bytes(); }
  [[nodiscard]] bool lossless(transport::PeerId peer) const override { return inner_->lossless(peer); }
  [[nodiscard]] transport::Rdma* rdma() override { return inner_->rdma(); }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override { return inner_->send(datagram); }
  void flush() override { inner_->flush(); }
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override { return inner_->prepare_to_sleep(timeout); }
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void withdraw() override { inner_->withdraw(); }
  void disown() override;

 private:
  std::unique_ptr<AddressLookup> lookup_;  // outlives the inner wire, which calls it
  std::unique_ptr<PollableWire> inner_;
  std::uint32_t polls_ = 0;
};

}  // namespace ayatori::wires
