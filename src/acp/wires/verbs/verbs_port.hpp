#pragma once
/// \file
/// A UdPort of an RDMA adapter, by libibverbs.

#include <infiniband/verbs.h>

#include "ayatori/verbs/ud_port.hpp"
#include "ayatori/verbs/verbs_wire.hpp"
#include "verbs_object.hpp"

namespace ayatori::wires {

class VerbsPort final : public UdPort {
 public:
  /// Errors: see VerbsWire::make().
  [[nodiscard]] static Result<std::unique_ptr<VerbsPort>> open(const VerbsOptions& options);

  [[nodiscard]] UdAddress address() const override;
  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] Result<> use(std::span<std::byte> memory) override;
  [[nodiscard]] Result<std::unique_ptr<UdPeer>> reach(const UdAddress& address) override;
  [[nodiscard]] std::unique_ptr<RcConnections> connections(const UdResolver& resolve) override;

  [[nodiscard]] int post_send(const UdSend& send) override;
  [[nodiscard]] int post_receive(UdQueue queue, std::span<std::byte> into, std::uint64_t id) override;
  int recover() override;
  [[nodiscard]] std::size_t poll_sent(std::span<UdCompletion> completions) override;
  [[nodiscard]] std::size_t poll_received(std::span<UdCompletion> completions) override;

  [[nodiscard]] int descriptor() const override { return events_->fd; }
  void ask_for_event() override;
  void take_events() override;
  void stop() override;

 private:
  explicit VerbsPort(const VerbsOptions& options) : options_(options) {}

  Result<> open_device();
  Result<> query_port();

  /// On InfiniBand the first GID, which every port has. On Ethernet (RoCE) an IPv4 address, by which all hosts of a
  /// network reach each other, before an IPv6 one; both of version 2, whose packets are routed.
  [[nodiscard]] std::uint8_t choose_gid() const;
  Result<> open_queues();
  Result<VerbsObject<ibv_qp>> queue_pair(std::uint32_t sends, std::uint32_t receives);
  Result<> start(ibv_qp& pair) const;
  [[nodiscard]] std::uint32_t queue_key() const;
  [[nodiscard]] ibv_ah_attr address_handle_to(const UdAddress& address) const;
  [[nodiscard]] Failure refused_by_device(std::string_view what, int code) const;

  VerbsOptions options_;
  VerbsObject<ibv_context> device_;
  ibv_port_attr port_{};
  std::uint8_t gid_index_ = 0;
  ibv_gid gid_{};
  VerbsObject<ibv_pd> domain_;
  VerbsObject<ibv_mr> memory_;
  VerbsObject<ibv_comp_channel> events_;
  VerbsObject<ibv_cq> sent_;
  VerbsObject<ibv_cq> received_;
  VerbsObject<ibv_qp> data_;
  VerbsObject<ibv_qp> control_;
  std::uint32_t inline_bytes_ = 0;  // that travel within a work request
};

}  // namespace ayatori::wires
