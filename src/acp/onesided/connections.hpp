#pragma once
/// \file
/// Copies and atomics that an adapter carries out without the peer's process, over reliable connections (transport/
/// rdma.hpp). Each connection takes memory in both processes, so there are at most Settings::connections of them, to
/// the peers that were needed first; everything else goes by datagrams. So does whatever comes before a connection, or
/// the key of a region, is there: they are asked for when they are first needed, and nothing waits for them
/// (docs/decisions/0106-rdma.md).
///
/// Atomics are another matter, since those of the adapter are often not atomic with respect to the processor's. A
/// process that lets a peer's adapter change its memory carries out all atomics on it by its own adapter from then on:
/// its own, and those that come as calls.

#include <unordered_map>
#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "ayatori/transport/rdma.hpp"
#include "calls.hpp"
#include "transfers.hpp"

namespace ayatori::onesided {

struct Core;

class Connections {
 public:
  Connections(Core& core, const Settings& settings);

  // ---- As initiator

  /// Begins a copy, of which `region` of the peer is known; false: it is to be done by datagrams.
  [[nodiscard]] bool begin(const Transfer& transfer, const transport::Region& region, transport::Token token);
  /// The same of an atomic. Regions that are not known are asked for, for the next time.
  [[nodiscard]] bool begin(const Call& atomic, const Location& word, transport::Token token);

  struct Ended {
    enum class How : std::uint8_t {
      done,
      refused,  ///< the peer's memory is another one now, or gone
      undone,   ///< not carried out, for no reason of its own: to be begun again
      unknown,  ///< the adapter failed, and it may have been carried out
    };
    transport::Token token = 0;
    How how = How::done;
    std::uint64_t value = 0;  ///< of atomics: the one from before
  };
  /// What has ended since the last call.
  [[nodiscard]] const std::vector<Ended>& collect();

  /// The answers to calls of the kinds `connect` and `grant`.
  void answered(std::uint64_t number, const Answer& answer);
  /// Returns the tokens of what was under way to a peer that is lost.
  std::vector<transport::Token> lost(Rank peer);

  /// Calls `visit(rank)` for each peer that something is under way to.
  template <typename Visit>
  void visit_awaited(Visit visit) const {
    for (const auto& [rank, connection] : connections_) {
      if (connection.under_way > 0) visit(rank);
    }
  }

  // ---- As target

  [[nodiscard]] Answer accept(Rank from, const Call& call);
  [[nodiscard]] Answer grant(const Call& call);

  /// Carries out an atomic on memory of this process, as peers do. Nothing: the adapter failed.
  [[nodiscard]] std::optional<std::uint64_t> apply(const Call& atomic, std::byte* at);

 private:
  /// What a peer has said of one of its regions.
  struct Grant {
    std::uint64_t region = 0;  // its key
    std::uint32_t key = 0;     // by which the adapter knows it
    bool asking = false;       // the peer has not answered yet
    bool usable = false;       // the adapter may read and write there …
    bool atomics = false;      // … and change words
  };
  struct Connection {
    enum class State : std::uint8_t { asking, open, refused };
    State state = State::asking;
    std::uint32_t opening = 0;  // which one of this process it is
    Time not_before{};          // of one that was refused: until then the peer is not asked again
    std::uint32_t under_way = 0;
    std::vector<Grant> grants;
    std::size_t next_grant = 0;  // to be replaced
  };

  [[nodiscard]] Connection* open_to(Rank peer);
  void ask_to_connect(Rank peer);
  [[nodiscard]] const Grant* granted(Rank peer, Connection& connection, std::uint64_t region);
  void close(Rank peer, bool failed);

  Core& core_;
  transport::Rdma* rdma_;
  std::uint32_t max_connections_;
  std::uint32_t openings_ = 0;
  bool allow_atomics_ = false;    // to peers
  bool atomics_granted_ = false;  // to any peer, so that they are the adapter's alone
  std::unordered_map<Rank, Connection> connections_;
  std::vector<Rank> accepted_;
  std::vector<Ended> ended_;
};

}  // namespace ayatori::onesided
