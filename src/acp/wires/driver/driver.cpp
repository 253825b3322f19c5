#include "ayatori/driver/driver.hpp"

#include <algorithm>

namespace ayatori::wires {

using transport::Datagram;
using transport::Duration;
using transport::Time;

namespace {

/// Datagrams received in one round: few enough that their acknowledgements leave in time.
constexpr std::size_t max_received = 64;

/// Datagrams sent in one round, before the wire is polled again.
constexpr int max_sent = 64;

/// No wire holds as many datagrams as this many rounds take. A process that lags for longer is flooded faster than it
/// can receive, and its timers must run.
constexpr std::uint32_t max_rounds_behind = 1024;

}  // namespace

Driver::Driver(transport::Endpoint& endpoint, transport::Wire& wire, Clock& clock)
    : endpoint_(endpoint), wire_(wire), clock_(clock), now_(clock.now()) {
  endpoint_.use_express([this](transport::PeerId peer) { return wire_.lossless(peer); });
  take_ = [this](std::span<const std::byte> datagram) { endpoint_.receive(now_, datagram); };
}

bool Driver::progress() {
  // Express packets do not depend on the time, so they are sent before the clock is read.
  bool sent = send_express();
  now_ = clock_.now();
  // Sent before receiving: between rounds the application may have answered, and the answer carries the
  // acknowledgement.
  sent = send() || sent;
  const bool received = wire_.poll(max_received, take_) > 0;
  // The answers that were made while receiving need not wait for the next round.
  if (received && endpoint_.ready()) {
    sent = send_express() || sent;
    sent = send() || sent;
  }
  const bool advanced = advance(received);
  return received || advanced || sent;
}

void Driver::send_waiting() {
  send_express();
  now_ = clock_.now();
  send();
}

/// Timers run only when all datagrams that have arrived were handed to the endpoint: after this process was stopped for
/// a while, the answers of its peers are still in the wire, and by the time alone the peers would seem to be silent.
bool Driver::advance(bool received) {
  if (endpoint_.next_deadline() > now_) return false;
  const bool more = received && wire_.poll(max_received, take_) > 0;
  if (more && ++rounds_behind_ < max_rounds_behind) return false;
  rounds_behind_ = 0;
  endpoint_.advance(now_);
  return true;
}

bool Driver::send_express() {
  int sent = 0;
  for (; sent < max_sent; ++sent) {
    const auto datagram = endpoint_.next_express();
    if (!datagram) break;
    const bool taken = wire_.send(*datagram);
    if (!taken) now_ = clock_.now();
    endpoint_.settle_express(now_, taken);
  }
  return sent > 0;
}

bool Driver::send() {
  int sent = 0;
  bool room = send_held();
  while (room && sent < max_sent) {
    const auto datagram = endpoint_.next_packet(now_);
    if (!datagram) break;
    room = put_on_wire(*datagram);
    ++sent;
  }
  wire_.flush();
  return sent > 0;
}

/// The endpoint reuses the memory of a datagram at its next call: a datagram that has to wait is copied.
bool Driver::put_on_wire(const Datagram& datagram) {
  if (wire_.send(datagram)) return true;
  held_.to = datagram.to;
  held_.control = datagram.control;
  held_.header = datagram.header.size();
  held_.bytes.assign(datagram.header.begin(), datagram.header.end());
  held_.bytes.insert(held_.bytes.end(), datagram.payload.begin(), datagram.payload.end());
  return false;
}

bool Driver::send_held() {
  if (held_.bytes.empty()) return true;
  const std::span<const std::byte> bytes = held_.bytes;
  if (!wire_.send({held_.to, held_.control, bytes.first(held_.header), bytes.subspan(held_.header)})) return false;
  held_.bytes.clear();
  return true;
}

void Driver::sleep(Duration timeout) {
  const Time deadline = endpoint_.next_deadline();
  if (deadline != transport::never) timeout = std::min(timeout, deadline - clock_.now());
  if (timeout > Duration::zero()) wire_.wait(timeout);
}

}  // namespace ayatori::wires
