#include "ayatori/udp/udp_wire.hpp"

#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "arrivals.hpp"
#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/heap.hpp"
#include "departures.hpp"

namespace ayatori::wires {

using transport::Datagram;

namespace {

/// Bytes. To copy larger datagrams into a train costs more than the system call that it saves.
constexpr std::size_t large_datagram = 16'384;

/// How long the wire waits after the kernel had no buffers: poll(2) reports when a socket has buffers again, but not
/// when a device has.
constexpr Duration retry_after = std::chrono::microseconds(100);

constexpr std::size_t max_messages = 64;

bool no_buffers(int error) { return error == EAGAIN || error == ENOBUFS || error == ENOMEM; }

/// The errors of kernels, devices and routes that can't segment, or not into GSO segments of that size.
bool no_segmentation(int error) {
  return error == EIO || error == EINVAL || error == EMSGSIZE || error == EOPNOTSUPP || error == ENOPROTOOPT;
}

struct alignas(cmsghdr) SegmentControl {
  std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> bytes;
};

/// Asks the kernel to cut the message into GSO segments (udp(7), UDP_SEGMENT).
void ask_for_segments(msghdr& message, SegmentControl& control, std::uint16_t bytes) {
  message.msg_control = control.bytes.data();
  message.msg_controllen = sizeof control;
  cmsghdr* asked = CMSG_FIRSTHDR(&message);
  asked->cmsg_level = SOL_UDP;
  asked->cmsg_type = UDP_SEGMENT;
  asked->cmsg_len = CMSG_LEN(sizeof bytes);
  std::memcpy(CMSG_DATA(asked), &bytes, sizeof bytes);
}

/// A train of small datagrams is answered before a second one is received. Large ones are parts of something larger,
/// whose sender is better notified once than woken for each.
bool goes_on(std::size_t received, std::size_t train_bytes) {
  constexpr std::size_t max_together = 8;
  return train_bytes >= large_datagram && received < max_together;
}

Result<Descriptor> bound_socket(const UdpOptions& options) {
  Descriptor made(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return refused("no UDP socket can be made", errno);
  const int bytes = static_cast<int>(options.receive_bytes);
  const int on = 1;
  setsockopt(made.number(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  setsockopt(made.number(), SOL_UDP, UDP_GRO, &on, sizeof on);  // without it, trains arrive as GSO segments
  const sockaddr_in own = options.addresses.of(options.self);
  if (bind(made.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    return refused(fmt::format("rank {} can't have the address {}", options.self, text_of(own)), errno);
  }
  return made;
}

Result<> check(const UdpOptions& options) {
  if (auto good = check(options.addresses); !good) return good;
  const std::size_t max_bytes = max_framed(max_udp_payload);
  if (options.datagram_bytes < 192 || options.datagram_bytes > max_bytes) {
    return fail("datagram_bytes is {}; over UDP it must be 192 to {}", options.datagram_bytes, max_bytes);
  }
  return {};
}

}  // namespace

struct UdpWire::State {
  /// One entry of sendmmsg: a train, or one GSO segment of it.
  struct Piece {
    Train* train = nullptr;
    std::uint32_t bytes = 0;
  };

  State(const UdpOptions& chosen, Descriptor bound, DatagramCalls& called)
      : options(chosen), socket(std::move(bound)), calls(called), departures(framed_bytes(chosen.datagram_bytes)) {}

  bool send_now(const Datagram& datagram);
  void flush();
  std::size_t gather();
  void add_piece(std::size_t i, Train& train, std::uint32_t from, std::uint32_t bytes);
  bool send_gathered(std::size_t count);
  bool go_on_after(int error);

  UdpOptions options;
  Descriptor socket;
  DatagramCalls& calls;
  Departures departures;
  Arrivals arrivals;
  UdpStatistics statistics;
  bool stalled = false;  // the kernel had no buffers the last time

  std::array<Piece, max_messages> pieces{};
  std::array<mmsghdr, max_messages> messages{};
  std::array<iovec, max_messages> parts{};
  std::array<sockaddr_in, max_messages> addresses{};
  std::array<SegmentControl, max_messages> controls{};
};

// ---- Out

/// Sends from where the datagram is, without a copy. Datagrams that were gathered go first.
bool UdpWire::State::send_now(const Datagram& datagram) {
  flush();
  if (!departures.empty()) return false;
  std::array<std::byte, frame_header_bytes> prefix{};
  (void)put_frame_header(datagram.header.size() + datagram.payload.size(), prefix.data());
  std::array<iovec, 3> whole{{{prefix.data(), prefix.size()},
                              {const_cast<std::byte*>(datagram.header.data()), datagram.header.size()},
                              {const_cast<std::byte*>(datagram.payload.data()), datagram.payload.size()}}};
  sockaddr_in to = options.addresses.of(datagram.to);
  mmsghdr message{};
  message.msg_hdr.msg_name = &to;
  message.msg_hdr.msg_namelen = sizeof to;
  message.msg_hdr.msg_iov = whole.data();
  message.msg_hdr.msg_iovlen = whole.size();
  ++statistics.system_calls;
  if (calls.send(socket.number(), std::span(&message, 1)) == 1) {
    ++statistics.trains;
    return true;
  }
  stalled = no_buffers(errno);
  if (!stalled) ++statistics.dropped;
  if (stalled) ++statistics.no_room;
  return !stalled;
}

void UdpWire::State::flush() {
  stalled = false;
  while (!departures.empty() && send_gathered(gather())) departures.clear_departed();
  departures.clear_departed();
}

/// Fills the entries of a system call; returns how many.
std::size_t UdpWire::State::gather() {
  const auto segment = static_cast<std::uint32_t>(departures.segment_bytes());
  std::size_t count = 0;
  for (Train& train : departures.trains()) {
    std::uint32_t from = train.gone;
    while (from < train.bytes && count < max_messages) {
      const std::uint32_t rest = train.bytes - from;
      const std::uint32_t bytes = statistics.segmentation ? rest : std::min(rest, segment);
      add_piece(count++, train, from, bytes);
      from += bytes;
    }
  }
  return count;
}

void UdpWire::State::add_piece(std::size_t i, Train& train, std::uint32_t from, std::uint32_t bytes) {
  pieces[i] = {&train, bytes};
  parts[i] = {train.memory.get() + from, bytes};
  addresses[i] = options.addresses.of(train.to);
  msghdr& message = messages[i].msg_hdr;
  message = {};
  message.msg_name = &addresses[i];
  message.msg_namelen = sizeof addresses[i];
  message.msg_iov = &parts[i];
  message.msg_iovlen = 1;
  const auto segment = static_cast<std::uint16_t>(departures.segment_bytes());
  if (bytes > segment) ask_for_segments(message, controls[i], segment);
}

/// False if the rest has to wait.
bool UdpWire::State::send_gathered(std::size_t count) {
  ++statistics.system_calls;
  const int sent = calls.send(socket.number(), std::span(messages).first(count));
  if (sent < 0) return go_on_after(errno);
  statistics.trains += static_cast<std::uint64_t>(sent);
  for (int i = 0; i < sent; ++i) pieces[i].train->gone += pieces[i].bytes;
  return true;
}

/// The error is that of the first piece: if a later one fails, the kernel returns how many were sent before it.
bool UdpWire::State::go_on_after(int error) {
  if (error == EINTR) return true;
  if (no_buffers(error)) {
    stalled = true;
    ++statistics.no_room;
    return false;
  }
  if (pieces[0].bytes > departures.segment_bytes() && no_segmentation(error)) {
    statistics.segmentation = false;
    return true;
  }
  pieces[0].train->gone += pieces[0].bytes;
  ++statistics.dropped;
  return true;
}

// ---- The wire

Result<std::unique_ptr<UdpWire>> UdpWire::make(const UdpOptions& options, DatagramCalls& calls) {
  if (auto good = check(options); !good) return Failure(good.error());
  auto bound = bound_socket(options);
  if (!bound) return Failure(bound.error());
  auto state = std::make_unique<State>(options, std::move(*bound), calls);
  return std::unique_ptr<UdpWire>(new UdpWire(std::move(state)));
}

Bytes UdpWire::memory_bytes(const UdpOptions& options) {
  return heap_taken_by([&] { return std::make_unique<State>(options, Descriptor(), kernel_calls()); });
}

UdpWire::UdpWire(std::unique_ptr<State> state) : state_(std::move(state)) {}
UdpWire::~UdpWire() = default;

std::size_t UdpWire::datagram_bytes() const { return state_->options.datagram_bytes; }

bool UdpWire::send(const Datagram& datagram) {
  const std::size_t size = datagram.header.size() + datagram.payload.size();
  if (size >= large_datagram) return state_->send_now(datagram);
  if (state_->departures.add(datagram)) return true;
  state_->flush();
  return state_->departures.add(datagram);
}

void UdpWire::flush() {
  if (!state_->departures.empty()) state_->flush();
}

std::size_t UdpWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  Arrivals& arrivals = state_->arrivals;
  std::size_t count = 0;
  while (count < max_datagrams) {
    if (const auto datagram = arrivals.next()) {
      take(*datagram);
      ++count;
    } else if ((count > 0 && !goes_on(count, arrivals.bytes())) ||
               !arrivals.receive(state_->socket.number(), state_->calls)) {
      break;
    }
  }
  return count;
}

Duration UdpWire::prepare_to_sleep(Duration timeout) {
  return state_->stalled ? std::min(timeout, retry_after) : timeout;
}

void UdpWire::add_descriptors(std::vector<pollfd>& polled) const {
  polled.push_back({state_->socket.number(), POLLIN, 0});
}

void UdpWire::disown() { state_->socket = Descriptor(); }

UdpStatistics UdpWire::statistics() const {
  UdpStatistics all = state_->statistics;
  all.malformed = state_->arrivals.malformed();
  return all;
}

Result<std::uint32_t> datagram_bytes_between(const UdpAddresses& addresses, Rank self, Rank peer) {
  if (auto good = check(addresses); !good) return Failure(good.error());
  sockaddr_in from = addresses.of(self);
  from.sin_port = 0;
  const sockaddr_in to = addresses.of(peer);
  const Descriptor probe(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  int mtu = 0;
  socklen_t size = sizeof mtu;
  if (!probe.is_open() || bind(probe.number(), reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0 ||
      connect(probe.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
      getsockopt(probe.number(), IPPROTO_IP, IP_MTU, &mtu, &size) != 0) {
    return refused(fmt::format("no route from {} to {}", text_of(from), text_of(to)), errno);
  }
  constexpr std::size_t ip_and_udp_headers = 28;
  const std::size_t payload = std::min(static_cast<std::size_t>(mtu) - ip_and_udp_headers, max_udp_payload);
  return static_cast<std::uint32_t>(max_framed(payload));
}

}  // namespace ayatori::wires
