#pragma once
/// \file
/// Datagrams over verbs: UD queue pairs of InfiniBand, RoCE and Soft-RoCE adapters.
///
/// Two queue pairs a process, whatever the number of its peers: one for data, one whose receive buffers are the reserve
/// for control packets. Address handles of the peers that it spoke to last. Small datagrams travel inside of the work
/// request (inline); only some sends report their completion, the others are completed with the next one that does.
///
/// Adapters choose the numbers of queue pairs: no rule gives a peer's address. A resolver does, which whoever launches
/// the processes provides: each one publishes VerbsWire::address() (in PMIx, in a file), and peers look it up when they
/// first need it. What else the launcher must make equal in all processes: the key; the partition (the first entry of
/// the port's P_Key table); and datagram_bytes must not be larger than any peer's MTU, which drops what is larger.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/verbs/ud_port.hpp"

namespace ayatori::wires {

/// Where a rank is: asked when something is sent to a rank without an address handle. It must not wait for the
/// network. An error means that the datagram is lost: it is asked again with the next one.
using UdResolver = std::function<Result<UdAddress>(Rank)>;

struct VerbsOptions {
  transport::JobKey key = 0;   ///< the adapter drops what comes from other jobs, as far as 31 bits (the Q_Key) tell
  std::string device{};        ///< as `rdma link` names it; the first one if empty
  std::uint8_t port = 1;       ///< of the device, from 1
  std::uint8_t gid_index = 0;  ///< of the port; on RoCE it chooses version and address, on Soft-RoCE 1 is IPv4

  std::uint32_t datagram_bytes = 4'096;  ///< largest datagram; less if the port's MTU is less; at least 192
  std::uint32_t receive_buffers = 512;   ///< for data, at least 1
  std::uint32_t control_buffers = 128;   ///< for control packets, at least 1
  std::uint32_t send_buffers = 128;      ///< at least 1
  std::uint32_t peers = 1'024;           ///< address handles at a time, at least 1
};

struct VerbsStatistics {
  std::uint64_t no_room = 0;     ///< times that all send buffers, or address handles, were under way
  std::uint64_t unresolved = 0;  ///< datagrams lost because there is no address or way to their receiver, …
  std::uint64_t refused = 0;     ///< … because the adapter did not take them, …
  std::uint64_t failed = 0;      ///< … or failed to send or receive them
};

class VerbsWire final : public PollableWire {
 public:
  /// Over a port of this machine. Errors: options out of range, no RDMA device or not this one, a port that is down, a
  /// limit of the device or of the memory that may be locked.
  [[nodiscard]] static Result<std::unique_ptr<VerbsWire>> make(const VerbsOptions& options, UdResolver resolve);

  /// Over any port; of the options, those that concern opening it do nothing.
  [[nodiscard]] static Result<std::unique_ptr<VerbsWire>> make(const VerbsOptions& options, UdResolver resolve,
                                                               std::unique_ptr<UdPort> port);
  ~VerbsWire() override;

  /// This process's, for peers' resolvers.
  [[nodiscard]] UdAddress address() const;

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override {}
  std::size_t poll(std::size_t most, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration longest) override;
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;

  [[nodiscard]] const VerbsStatistics& statistics() const;

  /// Why the first datagram was lost that was unresolved, refused or failed.
  [[nodiscard]] const std::optional<Error>& problem() const;

 private:
  struct State;
  VerbsWire(Descriptor bell, std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::wires
