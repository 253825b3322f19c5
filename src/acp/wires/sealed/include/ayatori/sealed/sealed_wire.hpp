#pragma once
/// \file
/// A wire over a network that strangers can write to: each datagram has a tag (ayatori/secret/seal.hpp).

#include <array>
#include <memory>

#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/sealed/unsealer.hpp"

namespace ayatori::wires {

struct SealOptions {
  DerivedKey key{};  ///< of the job, for nothing but this wire's datagrams
  Rank self = 0;
  Rank procs = 1;
  std::uint64_t first_number = 1;    ///< see Seal
  std::uint32_t remembered = 1'024;  ///< see Unsealer
};

class SealedWire final : public PollableWire {
 public:
  SealedWire(std::unique_ptr<PollableWire> inner, const SealOptions& options)
      : inner_(std::move(inner)),
        seal_(options.key, options.self, options.first_number),
        unsealer_(options.procs, options.remembered) {}

  /// Bytes that it takes in addition to the wire below.
  [[nodiscard]] static Bytes memory_bytes();

  [[nodiscard]] std::size_t datagram_bytes() const override { return inner_->datagram_bytes() - seal_bytes; }
  [[nodiscard]] bool lossless(transport::PeerId peer) const override { return inner_->lossless(peer); }
  [[nodiscard]] transport::Rdma* rdma() override { return inner_->rdma(); }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override { inner_->flush(); }
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override { return inner_->prepare_to_sleep(timeout); }
  void woken() override { inner_->woken(); }
  void add_descriptors(std::vector<pollfd>& polled) const override { inner_->add_descriptors(polled); }
  void withdraw() override { inner_->withdraw(); }
  void disown() override { inner_->disown(); }

  [[nodiscard]] const SealStatistics& statistics() const { return unsealer_.statistics(); }

 private:
  std::unique_ptr<PollableWire> inner_;
  Seal seal_;
  Unsealer unsealer_;
  std::array<std::byte, seal_bytes + transport::max_header_bytes> header_{};
};

}  // namespace ayatori::wires
