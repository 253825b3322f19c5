#pragma once
/// \file
/// The addresses of adapters, which follow from no rule (an adapter chooses the numbers of queue pairs), looked up when
/// they are first needed: a process asks the peer itself, by UDP, whose address follows from the rank. So no launcher
/// has to exchange them, and no process keeps a table of all others (paper 5, sections 3 and 4.1).
///
/// Questions and answers may be lost: whoever still needs an address asks again. What comes from another job, or from
/// another address than the rank has that it names, is ignored. Not thread-safe.

#include <memory>
#include <vector>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/bounded/peer_cache.hpp"
#include "ayatori/transport/endpoint.hpp"
#include "ayatori/udp/addresses.hpp"

namespace ayatori::wires {

using AdapterAddress = std::vector<std::byte>;

struct LookupOptions {
  UdpAddresses addresses;  ///< by which peers are asked
  Rank self = 0;
  Rank procs = 1;
  transport::JobKey key = 0;
  std::uint32_t kept = 1'024;  ///< addresses of the peers used last, at least 1
};

class AddressLookup {
 public:
  /// Errors: the UDP address of this rank is in use, or not of this host.
  [[nodiscard]] static Result<std::unique_ptr<AddressLookup>> make(const LookupOptions& options);

  /// Bytes that it takes once it keeps as many addresses as it may, each of so many bytes.
  [[nodiscard]] static Bytes memory_bytes(const LookupOptions& options, std::size_t address_bytes);

  /// This process's own address, 1 to max_address_bytes bytes. Until it is set, questions are not answered.
  void set_own(AdapterAddress address) { own_ = std::move(address); }

  /// The address of a rank; otherwise asks it, and is an error: call it again later.
  [[nodiscard]] Result<AdapterAddress> find(Rank rank);

  /// Answers the questions that have come, and takes the answers. Never waits.
  void serve();

  [[nodiscard]] int descriptor() const { return socket_.number(); }  ///< readable when serve() has something to do
  void close() { socket_ = Descriptor(); }

 private:
  AddressLookup(const LookupOptions& options, Descriptor socket)
      : options_(options), socket_(std::move(socket)), known_(options.kept) {}

  void take(std::span<const std::byte> bytes, const sockaddr_in& from);
  void send(Rank to, bool question) const;

  LookupOptions options_;
  Descriptor socket_;
  AdapterAddress own_;
  PeerCache<AdapterAddress> known_;
};

}  // namespace ayatori::wires
