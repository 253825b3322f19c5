#pragma once
/// \file
/// What the wire needs of an RDMA port: unreliable datagrams (UD; InfiniBand Architecture Specification 1.2, section
/// 9.8.3). VerbsPort is the real one; tests use SimulatedPort, which needs no adapter.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/transport/rdma.hpp"

namespace ayatori::wires {

/// The address of a process. It is plain bytes, which a launcher may publish as they are.
struct UdAddress {
  std::array<std::uint8_t, 16> gid{};  ///< of its port
  Lid lid = 0;                         ///< of its port; 0 on Ethernet (RoCE)
  std::uint32_t data_queue = 0;        ///< number of the queue pair for data …
  std::uint32_t control_queue = 0;     ///< … and of the one for control packets

  bool operator==(const UdAddress&) const = default;
};

/// Finds the address of a rank. Called when something is sent to a rank without an address handle; must not wait for
/// the network. After an error the datagram is lost, and the resolver is called again for the next one.
using UdResolver = std::function<Result<UdAddress>(Rank)>;

/// Control packets have receive buffers of their own, which data can't take (paper 5, section 4.2): those of a second
/// queue pair.
enum class UdQueue : std::uint8_t { data, control };

/// Bytes of the global routing header (GRH), which each receive buffer begins with, on any network.
inline constexpr std::size_t grh_bytes = 40;

/// An address handle: the adapter's route to a peer.
class UdPeer {
 public:
  virtual ~UdPeer() = default;
};

struct UdSend {
  const UdPeer* to = nullptr;
  std::uint32_t queue = 0;  ///< the peer's queue pair
  std::span<const std::byte> bytes;
  std::uint64_t id = 0;    ///< of its completion
  bool signalled = false;  ///< whether it has one even if nothing fails
};

struct UdCompletion {
  std::uint64_t id = 0;
  std::uint32_t bytes = 0;      ///< of what was received, grh_bytes included
  const char* error = nullptr;  ///< nullptr if nothing failed
};

/// Reliable connections of the port, and their completions.
class RcConnections : public transport::Rdma {
 public:
  /// Makes the port's descriptor readable when something is completed from then on; true if something is already.
  [[nodiscard]] virtual bool ask_for_event() = 0;

  /// Times that a connection began again since its adapter had given it up.
  [[nodiscard]] virtual std::uint64_t resumed() const = 0;
};

/// Not thread-safe. Calls return 0 or errno where nothing else is said.
class UdPort {
 public:
  virtual ~UdPort() = default;

  [[nodiscard]] virtual UdAddress address() const = 0;
  [[nodiscard]] virtual std::size_t datagram_bytes() const = 0;  ///< the port's MTU

  /// Registers all memory that is sent from and received into, once; it must outlive the port.
  [[nodiscard]] virtual Result<> use(std::span<std::byte> memory) = 0;

  /// Makes an address handle. It must be destroyed before the port, and after all sends to it are completed.
  [[nodiscard]] virtual Result<std::unique_ptr<UdPeer>> reach(const UdAddress& address) = 0;

  /// Its reliable connections, whose peers `resolve` finds; nullptr if it has none. To be destroyed before the port.
  [[nodiscard]] virtual std::unique_ptr<RcConnections> connections(const UdResolver& /*resolve*/) { return nullptr; }

  /// Sends are completed in order; one that fails is reported even if it is not signalled, as are all after it until
  /// recover(). ENOMEM: there is no room now.
  [[nodiscard]] virtual int post_send(const UdSend& send) = 0;
  [[nodiscard]] virtual int post_receive(UdQueue queue, std::span<std::byte> into, std::uint64_t id) = 0;
  virtual int recover() = 0;

  /// Fills in completions; returns how many.
  [[nodiscard]] virtual std::size_t poll_sent(std::span<UdCompletion> completions) = 0;
  [[nodiscard]] virtual std::size_t poll_received(std::span<UdCompletion> completions) = 0;

  /// Becomes readable once after each ask_for_event(), when something is received from then on.
  [[nodiscard]] virtual int descriptor() const = 0;
  virtual void ask_for_event() = 0;
  virtual void take_events() = 0;  ///< so that it is not readable any more

  /// Nothing is sent or received any more.
  virtual void stop() = 0;
};

}  // namespace ayatori::wires
