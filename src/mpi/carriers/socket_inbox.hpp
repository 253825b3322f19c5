#pragma once
/// \file
/// What other processes send to this one by TCP: which bytes belong to which receive of which execution. No I/O.
///
/// A message travels in one or several fragments, each with a header, on one or several connections. The messages from
/// one process on one stream of an execution are numbered by both ends, in the order in which each posts them.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ayatori/carriers/process_sockets.hpp"
#include "completions.hpp"

namespace ayatori {

/// Before each fragment, in the order of this machine's bytes.
struct FragmentHeader {
  std::uint64_t context = 0;        ///< of the execution
  std::uint32_t stream = 0;         ///< of the message
  std::uint32_t number = 0;         ///< of the message, among those from its sender on its stream in this execution
  std::uint64_t message_bytes = 0;  ///< of the whole message
  std::uint64_t offset = 0;         ///< of the fragment in the message
  std::uint64_t bytes = 0;          ///< of the fragment
};

/// Of one execution.
class SocketInbox {
 public:
  enum class Place : std::uint8_t {
    here,   ///< there is memory for it
    later,  ///< nobody has asked for it yet: to be tried again after a receive is posted or an execution begins
  };

  /// What has become complete goes there.
  [[nodiscard]] Completions& completions() { return completions_; }

  void post(Rank from, RequestId request, const CarriedMessage& message);
  /// Calls each(process) for each receive that is not complete.
  template <typename Each>
  void visit_awaited(Each each) const {
    for (const auto& [key, incoming] : incoming_) {
      if (incoming.is_posted) each(key.from);
    }
  }

  /// Whether a fragment can be taken, which is then to be filled. `keeps_early`: what comes before its receive is kept.
  /// Error: a fragment that does not fit its receive, or of which there is a part already.
  [[nodiscard]] Result<Place> find(Rank from, const FragmentHeader& header, bool keeps_early);
  /// The memory of the fragment's bytes from `done` on, or of the first of them; after find() said `here`.
  void memory_of(Rank from, const FragmentHeader& header, Bytes done, std::vector<std::span<std::byte>>& memory);
  /// The fragment is there.
  void arrived(Rank from, const FragmentHeader& header);

 private:
  struct Incoming {
    bool is_posted = false;
    RequestId request = 0;
    CarriedMessage message;
    /// By offset the fragments whose header came before the receive was posted.
    std::map<Bytes, std::vector<std::byte>> early;
    Bytes bytes = 0;
    Bytes claimed = 0;  ///< of fragments of which the header is there
    Bytes arrived = 0;
    bool has_arrived = false;  ///< also of a message without bytes
  };
  /// A process, a stream and a number.
  struct Key {
    Rank from = 0;
    std::uint32_t stream = 0;
    std::uint32_t number = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (std::size_t{key.from} << 40U) ^ (std::size_t{key.stream} << 24U) ^ key.number;
    }
  };

  void finish(const Key& key, const Incoming& incoming);

  Completions completions_;
  std::unordered_map<Key, Incoming, KeyHash> incoming_;
  std::unordered_map<Key, std::uint32_t, KeyHash> posted_;  ///< by process and stream: how many, for their numbers
};

/// Of all executions that are under way here, and of those of which something has come first.
class SocketInboxes {
 public:
  /// Of executions of several streams what comes before its receive is kept (`keeps_early`): connections would
  /// otherwise wait for one stream with what another one needs. Precondition: no execution of this context is under
  /// way. The inbox stays where it is until end().
  [[nodiscard]] SocketInbox& begin(std::uint64_t context, bool keeps_early);
  void end(std::uint64_t context);

  /// SocketInbox::find in the inbox of the fragment's execution. While there are concurrent executions, everything is
  /// kept that comes early: what one of them needs may stand behind it on the same connection.
  [[nodiscard]] Result<SocketInbox::Place> find(Rank from, const FragmentHeader& header);
  /// After find() said `here`; nullptr: the execution has been given up.
  [[nodiscard]] SocketInbox* of(const FragmentHeader& header);

 private:
  struct Execution {
    SocketInbox inbox;
    bool keeps_early = false;
    bool has_begun = false;
  };

  std::unordered_map<std::uint64_t, std::unique_ptr<Execution>> executions_;  ///< by context
  std::size_t concurrent_ = 0;                                                ///< of them, concurrent executions
};

}  // namespace ayatori
