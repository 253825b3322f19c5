#pragma once
/// \file
/// An endpoint of libfabric (FI_EP_RDM): its receives, and where it reports.

#include <rdma/fi_endpoint.h>

#include <array>

#include "domain.hpp"
#include "info.hpp"
#include "operations.hpp"

namespace ayatori::fabric {

/// Used under the lock of its Node, except by the C functions, which take it.
struct Port : fid_ep {
  Port(Domain& owner, const fi_info& info, void* its_context);

  /// A message that a peer has sent, or this process.
  void arrived(Arrival arrival);
  /// Takes what has arrived for it, or waits for it.
  void receive(const Receive& wanted);
  /// Takes what has arrived for it, and what arrives until it is full (FI_MULTI_RECV).
  void receive_many(Receive wanted);
  /// FI_PEEK, with or without FI_CLAIM or FI_DISCARD, and FI_CLAIM alone.
  void receive_specially(const Receive& wanted, std::uint64_t flags);

  /// The end of an operation; `error` is a positive number of fi_errno.h.
  void report(const Report& ended, int error);
  void report_receive(const Receive& receive, const Arrival& arrival, int error);
  void report_written(const Frame& frame, Rank from);

  /// A rank is lost. False: no receive waits for it.
  bool fail_receives(Rank rank);

  [[nodiscard]] Matching& matching(bool tagged_ones) { return tagged_ones ? tagged_messages : messages; }
  [[nodiscard]] std::optional<Address> address_of(fi_addr_t address) const {
    return av ? av->addresses.at(address) : std::nullopt;
  }
  [[nodiscard]] fi_addr_t source_of(const Address& from) const;

  Domain& domain;
  Node& node;
  EndpointNumber number = 0;
  std::uint64_t caps;
  std::uint64_t transmit_flags;  ///< of calls that take no flags
  std::uint64_t receive_flags;
  bool ordered;  ///< reads, writes and atomics at a peer are carried out one after the other
  std::size_t least_room = max_short_message;  ///< FI_OPT_MIN_MULTI_RECV
  bool enabled = false;
  AddressVector* av = nullptr;
  CompletionQueue* transmit_queue = nullptr;
  CompletionQueue* receive_queue = nullptr;
  bool selective_transmit = false;  ///< FI_SELECTIVE_COMPLETION
  bool selective_receive = false;

  enum Event : std::uint8_t { sent, received, read_done, write_done, events };
  std::array<Counter*, events> counters{};

  Matching messages;
  Matching tagged_messages;

 private:
  void count(std::uint64_t flags, int error);
  void push_received(const Receive& receive, const Arrival& arrival, int error, std::size_t length);
};

[[nodiscard]] inline Port& port_of(fid_ep* endpoint) { return *static_cast<Port*>(endpoint); }

/// The functions of each kind of operation: messages.cpp, remote_memory.cpp, remote_atomics.cpp.
[[nodiscard]] fi_ops_msg* message_functions();
[[nodiscard]] fi_ops_tagged* tagged_functions();
[[nodiscard]] fi_ops_rma* remote_memory_functions();
[[nodiscard]] fi_ops_atomic* remote_atomic_functions();

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** made, void* context);

}  // namespace ayatori::fabric
