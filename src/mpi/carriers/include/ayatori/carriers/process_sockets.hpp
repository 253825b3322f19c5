#pragma once
/// \file
/// The TCP connections of one process to the others of its job, over the networks that both are on: what SocketCarrier
/// sends through. It knows no MPI: the caller passes the others' addresses.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/secret/job_secret.hpp"

namespace ayatori {

/// One path from this process to another one. Addresses are IPv4's, as struct in_addr has them.
struct SocketPath {
  std::uint32_t own_address = 0;   ///< from which is sent; 0: whichever the system chooses
  std::string interface;           ///< that has the address; empty: whichever
  std::uint32_t peer_address = 0;  ///< where the peer listens
  std::uint16_t peer_port = 0;     ///< in the order of this machine's bytes
};

/// The paths to one process by size of message; each path carries a part of a message.
struct SocketPeer {
  struct From {
    Bytes bytes = 0;                   ///< for messages of so many bytes and more, up to the next one
    std::vector<std::uint32_t> paths;  ///< indices in SocketPeer::paths
  };
  std::vector<SocketPath> paths;
  std::vector<From> by_size;  ///< rising, the first from 0 bytes on; none if there are no paths
};

/// Set in the contexts of executions that run concurrently with others (SocketCarrier::begin_execution).
inline constexpr std::uint64_t concurrent_execution = std::uint64_t{1} << 31U;

struct SocketOptions {
  /// What all processes of the job know and nobody else does: connections that do not prove it are closed.
  JobSecret secret;
  /// Addresses of this host on which others of the job connect, as struct in_addr has them. None: the loopback's.
  std::vector<std::uint32_t> addresses;
  /// Called again and again by a process that waits for messages; may be empty.
  std::function<void()> while_waiting = nullptr;
};

/// Connections are made when something is first sent on them, one for each path and direction. Not safe for concurrent
/// use.
class ProcessSockets {
 public:
  /// Begins to listen, at one port of the addresses that the options have. `self` is the number of this process among
  /// those of the job.
  [[nodiscard]] static Result<std::unique_ptr<ProcessSockets>> listen(Rank self, SocketOptions options);
  ProcessSockets(const ProcessSockets&) = delete;
  ProcessSockets& operator=(const ProcessSockets&) = delete;
  ~ProcessSockets();

  /// Where it listens.
  [[nodiscard]] std::uint16_t port() const;

  /// By process of the job the paths to it; none to processes that are reached by other carriers. Before anything is
  /// sent.
  void set_peers(std::vector<SocketPeer> peers);

  struct State;  ///< what the carrier uses

 private:
  friend class SocketCarrier;
  explicit ProcessSockets(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ayatori
