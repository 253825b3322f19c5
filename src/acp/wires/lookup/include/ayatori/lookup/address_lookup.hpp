#pragma once
/// \file
/// Finds the cards of peers (card.hpp) when they are first needed, and keeps those of the peers used last. No process
/// has a table of all others, and no launcher sends all addresses to all (paper 5, sections 3 and 4.1).
///
/// The processes of a job form a ring by their ranks. Each knows its *fingers* from the launcher: the ranks 1, 2, 4, 8,
/// … ahead (Stoica et al., "Chord", SIGCOMM 2001). A question goes to the finger nearest before the wanted rank, which
/// passes it on; each step at least halves the distance. The wanted rank answers the process that has asked, and keeps
/// that one's card: what it sends back needs no question.
///
/// Questions and answers are datagrams with tags (ayatori/secret/seal.hpp). They may be lost: whoever still needs an
/// address asks again, by another finger. Not thread-safe.

#include <functional>
#include <memory>
#include <vector>

#include "ayatori/bounded/peer_cache.hpp"
#include "ayatori/driver/clock.hpp"
#include "ayatori/lookup/card.hpp"
#include "ayatori/sealed/sealed_wire.hpp"
#include "ayatori/udp/udp_socket.hpp"

namespace ayatori::wires {

struct Finger {
  Rank rank = 0;
  Card card;
};

struct LookupOptions {
  SealOptions seal;  ///< who this process is, and the key of the questions and answers
  Card own;          ///< of this process
  std::vector<Finger> fingers;
  /// The card of any rank, if the launcher can be asked at any time: then nobody else is asked. May be empty.
  std::function<std::optional<Card>(Rank)> launcher;
  std::uint32_t kept = 1'024;  ///< cards of the peers used last, at least 1
};

/// Which ranks are the fingers of a rank.
[[nodiscard]] std::vector<Rank> fingers_of(Rank self, Rank procs);

class AddressLookup {
 public:
  /// `socket` is that of `own.lookup_port`. `clock` must outlive the lookup.
  AddressLookup(LookupOptions options, UdpSocket socket, Clock& clock = steady_clock());

  /// Bytes that it takes once it keeps as many cards as it may, each with an adapter's address of so many bytes.
  [[nodiscard]] static Bytes memory_bytes(std::uint32_t kept, Rank procs, std::size_t adapter_bytes);

  /// The adapter of this process. Questions are answered once this process has one, or a port of datagrams.
  void set_own_adapter(AdapterAddress address);

  /// The card of a rank, valid until the next call. If it is not known, asks, and gives nothing: call it again later.
  [[nodiscard]] const Card* find(Rank rank);

  /// Where a rank receives datagrams; nothing as for find().
  [[nodiscard]] std::optional<SocketAddress> find_udp(Rank rank);

  /// Whether a datagram of a rank may come from there: its card says so, or is not known.
  [[nodiscard]] bool admits(const SocketAddress& source, Rank rank);

  /// Answers the questions that have come, and takes the answers. Never waits.
  void serve();

  [[nodiscard]] const LookupOptions& options() const { return options_; }
  [[nodiscard]] int descriptor() const { return socket_.descriptor.number(); }  ///< readable: serve() has to do
  void close() { socket_ = {}; }

 private:
  /// A card that is known, and what follows from it.
  struct Known {
    Card card;
    std::optional<SocketAddress> udp;
  };
  /// A card that is asked for.
  struct Question {
    transport::Time asked{};
    std::uint32_t times = 0;
  };

  void take(std::span<const std::byte> datagram, const SocketAddress& source);
  void ask(Rank rank);
  void pass_on(std::span<const std::byte> message, Rank wanted, std::uint32_t attempt);
  void answer(const Card& asker, Rank whom);
  void keep(Rank rank, Card card);
  [[nodiscard]] const Finger* finger_towards(Rank wanted, std::uint32_t attempt) const;
  void send(const Card& to, std::span<const std::byte> message);

  LookupOptions options_;
  UdpSocket socket_;
  Clock& clock_;
  Seal seal_;
  Unsealer unsealer_;
  PeerCache<Known> known_;
  PeerCache<Question> asked_;
};

}  // namespace ayatori::wires
