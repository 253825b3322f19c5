#pragma once
/// \file
/// TCP connections, one per direction: the FIFO queue of messages to send, and the messages received.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/carriers/process_sockets.hpp"
#include "ayatori/executor/carrier.hpp"
#include "ayatori/secret/job_secret.hpp"
#include "socket_inbox.hpp"

namespace ayatori {

/// Who connects, before everything else. The secret itself is not sent.
struct SocketGreeting {
  std::uint64_t process = 0;
  std::uint64_t serial = 0;           ///< another one for each connection of the process: a greeting is of use once
  std::array<std::byte, 32> proof{};  ///< of the secret, see proof_of_greeting()
};
static_assert(sizeof(SocketGreeting) == 48);

/// What a greeting to process `to` has to have as proof.
[[nodiscard]] std::array<std::byte, 32> proof_of_greeting(const DerivedKey& key, const SocketGreeting& greeting,
                                                          Rank to);

/// Part of a message that leaves by one connection.
struct LeavingFragment {
  FragmentHeader header;
  CarriedMessage message;
  std::uint32_t send = 0;  ///< the number of the send that it belongs to, for whoever counts its fragments
};

class OutgoingLink {
 public:
  explicit OutgoingLink(SocketPath path) : path_(std::move(path)) {}

  /// Begins to connect, and introduces this process. Error: the system's.
  [[nodiscard]] Result<> connect(const SocketGreeting& greeting);
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] int descriptor() const { return socket_.number(); }

  void add(const LeavingFragment& fragment) { queue_.push_back(fragment); }
  /// Whether all has been handed to the system.
  [[nodiscard]] bool is_idle() const { return queue_.empty() && greeted_ == sizeof greeting_; }

  /// Sends as much as the system takes, and appends the numbers of sends of which a fragment left. Error: the
  /// connection can't be made or has ended.
  [[nodiscard]] Result<> send_some(std::vector<std::uint32_t>& left);

  bool waits_for_buffer = false;  ///< whether the owner polls for buffer space

 private:
  [[nodiscard]] Result<std::size_t> write(std::span<const std::span<const std::byte>> parts);
  [[nodiscard]] Failure failure(int code) const;

  SocketPath path_;
  Descriptor socket_;
  SocketGreeting greeting_;
  std::size_t greeted_ = 0;
  std::deque<LeavingFragment> queue_;
  Bytes sent_of_first_ = 0;  ///< header and bytes
};

class IncomingLink {
 public:
  enum class Outcome : std::uint8_t {
    drained,  ///< nothing more has come
    blocked,  ///< what comes next is for a receive that is not posted yet
    ended,    ///< the other process has closed it
    refused,  ///< it is of no process of this job
  };

  /// Whether a greeting is that of a process of this job, and new.
  using Admits = std::function<bool(const SocketGreeting&)>;

  IncomingLink(Descriptor socket, Admits admits) : socket_(std::move(socket)), admits_(std::move(admits)) {}
  [[nodiscard]] int descriptor() const { return socket_.number(); }
  /// Who sends; no_id until that is known.
  [[nodiscard]] Rank process() const { return process_; }

  /// Takes what has come. Error: what does not fit its receive, or a connection that broke.
  [[nodiscard]] Result<Outcome> receive_some(SocketInboxes& inboxes, Rank processes);

  bool is_blocked = false;           ///< the owner does not watch it
  std::uint32_t waited_seconds = 0;  ///< for its greeting, as the owner counts

 private:
  enum class Read : std::uint8_t { all, none, end };
  [[nodiscard]] Result<Read> fill(std::span<std::byte> memory);
  [[nodiscard]] Result<Read> receive_payload(SocketInbox& inbox);
  [[nodiscard]] Result<Read> after(std::int64_t got);

  Descriptor socket_;
  Admits admits_;
  Rank process_ = no_id;
  SocketGreeting greeting_;
  FragmentHeader header_;
  std::size_t filled_ = 0;    ///< of the greeting or the header
  bool in_fragment_ = false;  ///< its header is complete
  bool has_place_ = false;
  Bytes received_ = 0;  ///< of the fragment
  std::vector<std::span<std::byte>> memory_;
};

}  // namespace ayatori
