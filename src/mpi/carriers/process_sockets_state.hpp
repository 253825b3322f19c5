#pragma once
/// \file
/// The state of ProcessSockets, and its polling.

#include <list>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/carriers/process_sockets.hpp"
#include "ayatori/secret/replay_window.hpp"
#include "socket_inbox.hpp"
#include "socket_links.hpp"

namespace ayatori {

/// One execution on a carrier.
struct SocketExecution {
  std::uint64_t context = 0;
  SocketInbox* inbox = nullptr;                  ///< nullptr: none is under way
  std::vector<std::vector<std::uint32_t>> sent;  ///< by process and stream: messages
};

struct ProcessSockets::State {
  State(Rank self_, SocketOptions options_)
      : self(self_), options(std::move(options_)), key(derived_key(options.secret, "greetings of processes")) {}

  /// Listeners, all at one port. Error: the system's.
  [[nodiscard]] Result<> listen();
  [[nodiscard]] bool listen_at(const std::vector<std::uint32_t>& addresses);

  void begin_execution(SocketExecution& execution, std::uint64_t context, bool keeps_early);
  void end_execution(SocketExecution& execution);
  [[nodiscard]] Result<> post_send(SocketExecution& execution, Rank to, RequestId request,
                                   const CarriedMessage& message);
  [[nodiscard]] Result<> post_receive(SocketExecution& execution, Rank from, RequestId request,
                                      const CarriedMessage& message);
  /// Sends and receives what can be without waiting, or waits until something happens, for `milliseconds` at most, and
  /// not at all where something of the execution is complete.
  [[nodiscard]] Result<> progress(SocketExecution& execution, int milliseconds);
  /// Error: a process from which something of the execution is awaited has closed all its connections.
  [[nodiscard]] Result<> check_for_ended(const SocketExecution& execution) const;

  struct Outgoing {
    Rank process = 0;
    OutgoingLink link;
  };
  struct Send {
    SocketInbox* inbox = nullptr;  ///< of its execution
    RequestId request = 0;
    std::uint32_t fragments = 0;  ///< that have not left
  };

  [[nodiscard]] Result<> send(SocketExecution& execution, Rank to, RequestId request, const CarriedMessage& message);
  [[nodiscard]] Result<> check(const Completions& awaited, int milliseconds);
  [[nodiscard]] Result<> advance(Outgoing& outgoing);
  [[nodiscard]] Result<> receive(IncomingLink& incoming);
  [[nodiscard]] Result<> retry_blocked();
  /// Indices of the paths by which the parts of a message go. Precondition: there is a path.
  [[nodiscard]] const std::vector<std::uint32_t>& paths_of(Rank to, Bytes bytes) const;
  [[nodiscard]] bool admits(const SocketGreeting& greeting);
  void accept_all(const Descriptor& listener);
  void set_alarm(bool on);
  void on_second();
  void watch_listeners(bool on);
  void forget(IncomingLink& link);
  void watch(int descriptor, std::uint32_t events, void* what, bool is_new) const;
  [[nodiscard]] Result<> remember(Result<> done);
  [[nodiscard]] std::uint32_t new_send(const Send& send);

  Rank self;
  SocketOptions options;
  std::uint16_t port = 0;
  DerivedKey key;
  std::vector<Descriptor> listeners;
  Descriptor events;
  Descriptor alarm;  ///< ticks each second while strangers may be connected, or none can be accepted
  bool alarm_is_on = false;
  bool listens = true;                ///< false after the system had no descriptors, until the next second
  std::uint64_t connected = 0;        ///< connections of this process to others, ever
  std::vector<ReplayWindow> serials;  ///< by process: of the greetings that were accepted
  std::vector<std::vector<SocketPeer::From>> by_size;  ///< by process
  std::vector<std::vector<Outgoing>> outgoing;         ///< by process and path
  std::list<IncomingLink> incoming;
  std::vector<std::uint32_t> open_links;  ///< by process: connections that it has to here
  std::vector<bool> has_ended;            ///< by process: whether one was closed
  SocketInboxes inboxes;
  std::vector<Send> sends;
  std::vector<std::uint32_t> free_sends;
  std::vector<std::uint32_t> left;
  std::size_t blocked = 0;      ///< incoming connections that wait for a receive
  std::optional<Error> broken;  ///< after an error nothing is carried any more
};

}  // namespace ayatori
