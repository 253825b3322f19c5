#pragma once
/// \file
/// Datagrams over verbs: UD queue pairs of InfiniBand, RoCE and Soft-RoCE adapters.
///
/// A process has two queue pairs, whatever the number of its peers: one for data, and one whose receive buffers are
/// reserved for control packets. It keeps the address handles of the peers used last. Small datagrams travel in the
/// work request (inline). Only some sends report their completion (selective signalling).
///
/// Adapters choose the numbers of queue pairs, so a wire cannot compute a peer's address. The launcher provides a
/// resolver that finds it: each process publishes VerbsWire::address() (by PMIx, in a file), and its peers
/// look it up when they first need it. All processes of a job must have the same key and the same partition (the first
/// entry of the port's P_Key table), and datagram_bytes must not exceed the MTU of any peer, which would drop larger
/// datagrams.

#include <memory>
#include <optional>
#include <string>

#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/verbs/ud_port.hpp"

namespace ayatori::wires {

struct VerbsOptions {
  transport::JobKey key = 0;  ///< its lower 31 bits are the Q_Key: the adapter drops datagrams with another one
  std::string device{};       ///< as `rdma link` names it; the first one if empty
  std::uint8_t port = 1;      ///< of the device, from 1
  std::optional<std::uint8_t> gid_index{};  ///< of the port; if none is given, on RoCE one of IPv4, else 0

  std::uint32_t datagram_bytes = 4'096;  ///< largest datagram; less if the port's MTU is less; at least 192
  std::uint32_t receive_buffers = 512;   ///< for data, at least 1
  std::uint32_t control_buffers = 128;   ///< for control packets, at least 1
  std::uint32_t send_buffers = 128;      ///< at least 1
  std::uint32_t peers = 1'024;           ///< address handles at a time, at least 1
  std::uint8_t tries = 6;                ///< of a reliable connection until it begins again, 0 to 6; Soft-RoCE of
                                         ///< Linux 6.1 takes 7 for any number
};

struct VerbsStatistics {
  std::uint64_t no_room = 0;     ///< times that all send buffers, or address handles, were under way
  std::uint64_t unresolved = 0;  ///< datagrams lost because there is no address of, or route to, their receiver, …
  std::uint64_t refused = 0;     ///< … because the adapter did not take them, …
  std::uint64_t failed = 0;      ///< … or failed to send or receive them
};

class VerbsWire final : public PollableWire {
 public:
  /// Over a port of this machine. Errors: options out of range, no RDMA device or not this one, a port that is down, a
  /// limit of the device or of the memory that may be locked.
  [[nodiscard]] static Result<std::unique_ptr<VerbsWire>> make(const VerbsOptions& options, UdResolver resolve);

  /// Over a port that is open already; `device`, `port` and `gid_index` are not used.
  [[nodiscard]] static Result<std::unique_ptr<VerbsWire>> make(const VerbsOptions& options, UdResolver resolve,
                                                               std::unique_ptr<UdPort> port);
  ~VerbsWire() override;

  /// Bytes that a wire takes in its process, over an adapter with this MTU. The queues are the adapter's library's.
  [[nodiscard]] static Bytes memory_bytes(const VerbsOptions& options, std::size_t mtu);

  /// Queue pairs of a wire, reliable connections not counted.
  static constexpr std::uint32_t queue_pairs = 2;

  /// The address of this process, for the resolvers of its peers.
  [[nodiscard]] UdAddress address() const;

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] transport::Rdma* rdma() override;
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override {}
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override;
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;

  [[nodiscard]] const VerbsStatistics& statistics() const;

  /// Why the first datagram was lost that was unresolved, refused or failed.
  [[nodiscard]] const std::optional<Error>& problem() const;

 private:
  struct State;
  explicit VerbsWire(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::wires
