#pragma once
/// \file
/// Moves datagrams between an Endpoint and a Wire, and gives the endpoint the time of a Clock.
///
/// Spinning:   while (!done) driver.progress();
/// Waiting:    while (!done) if (!driver.progress()) driver.sleep(timeout);

#include <functional>
#include <vector>

#include "ayatori/driver/clock.hpp"
#include "ayatori/transport/endpoint.hpp"
#include "ayatori/transport/wire.hpp"

namespace ayatori::wires {

/// Not thread-safe, like the endpoint and the wire, which must outlive it.
class Driver {
 public:
  Driver(transport::Endpoint& endpoint, transport::Wire& wire, Clock& clock);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// One round: sends packets, receives packets, sends the answers to them, and runs the timers that are due. Never
  /// waits. Returns whether a packet was sent or received or a timer was due: then the next round may have something to
  /// send. Calls the endpoint's Application.
  bool progress();

  /// Sends the packets that wait, and does nothing else of progress(). May call the endpoint's Application.
  void send_waiting();

  /// Sleeps until progress() may have something to do, for at most `timeout`.
  void sleep(transport::Duration timeout);

  /// The time of the last round: what to pass to Endpoint::send() in callbacks and between rounds.
  [[nodiscard]] transport::Time now() const { return now_; }

 private:
  bool advance(bool received);
  bool send_express();
  bool send();
  bool put_on_wire(const transport::Datagram& datagram);
  bool send_held();

  transport::Endpoint& endpoint_;
  transport::Wire& wire_;
  Clock& clock_;
  transport::Time now_;
  std::function<void(std::span<const std::byte>)> take_;
  std::uint32_t rounds_behind_ = 0;  // rounds in which a timer was due but datagrams were left to be received first

  /// A datagram that the wire had no room for, after the endpoint had counted it as sent.
  struct Held {
    transport::PeerId to = 0;
    bool control = false;
    std::size_t header = 0;
    std::vector<std::byte> bytes;  // empty if there is none
  } held_;
};

}  // namespace ayatori::wires
