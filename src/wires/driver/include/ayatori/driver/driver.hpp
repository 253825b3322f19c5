#pragma once
/// \file
/// Carries datagrams between an Endpoint and a Wire, and time from a Clock.
///
/// Spinning:   while (!done) driver.progress();
/// Waiting:    while (!done) if (!driver.progress()) driver.sleep(longest);

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

  /// One round: sends what there is to send, hands in what has arrived, sends answers, does what is due. Never waits.
  /// Returns whether anything went out, arrived or was due: then there may be something to send, which the next round
  /// does. The application is called back from here.
  bool progress();

  /// Sleeps until progress() may have something to do, at most `longest`; returns early after Wire::interrupt().
  void sleep(transport::Duration longest);

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
  std::uint32_t rounds_behind_ = 0;  // that had something due, and more to hand in first

  /// A datagram that found no room: the endpoint thinks that it was sent.
  struct Held {
    transport::PeerId to = 0;
    bool control = false;
    std::size_t header = 0;
    std::vector<std::byte> bytes;  // empty if there is none
  } held_;
};

}  // namespace ayatori::wires
