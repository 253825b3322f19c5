#include "ayatori/driver/driver.hpp"

#include <algorithm>

namespace ayatori::wires {

using transport::Datagram;
using transport::Duration;
using transport::Time;

namespace {

/// Datagrams of one round: few enough that their acknowledgements leave in time.
constexpr std::size_t max_received = 64;

/// Datagrams of one round that leave before the next look at what has arrived.
constexpr int most_sent = 64;

/// No wire holds more than this many rounds' datagrams: whoever is behind for longer is not catching up but flooded,
/// and time must go on for it.
constexpr std::uint32_t max_rounds_behind = 1024;

}  // namespace

Driver::Driver(transport::Endpoint& endpoint, transport::Wire& wire, Clock& clock)
    : endpoint_(endpoint), wire_(wire), clock_(clock), now_(clock.now()) {
  endpoint_.use_express([this](transport::PeerId peer) { return wire_.lossless(peer); });
  take_ = [this](std::span<const std::byte> datagram) { endpoint_.receive(now_, datagram); };
}

bool Driver::progress() {
  // What depends on no time goes before the clock is read.
  bool sent = send_express();
  now_ = clock_.now();
  // Sent first: between rounds the application may answer what it got, and then the acknowledgement travels with it.
  sent = send() || sent;
  const bool received = wire_.poll(max_received, take_) > 0;
  // What it has answered already need not wait for the next round.
  if (received && endpoint_.ready()) {
    sent = send_express() || sent;
    sent = send() || sent;
  }
  const bool advanced = advance(received);
  return received || advanced || sent;
}

/// Only when all is handed in that has arrived: after this process was stopped for a while, its peers' answers lie
/// there, and to judge by the time alone would take its own absence for theirs.
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
  for (; sent < most_sent; ++sent) {
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
  while (room && sent < most_sent) {
    const auto datagram = endpoint_.next_packet(now_);
    if (!datagram) break;
    room = put_on_wire(*datagram);
    ++sent;
  }
  wire_.flush();
  return sent > 0;
}

/// The endpoint's memory is its own again once it is called: what has to wait is copied.
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

void Driver::sleep(Duration longest) {
  const Time deadline = endpoint_.next_deadline();
  if (deadline != transport::never) longest = std::min(longest, deadline - clock_.now());
  if (longest > Duration::zero()) wire_.wait(longest);
}

}  // namespace ayatori::wires
