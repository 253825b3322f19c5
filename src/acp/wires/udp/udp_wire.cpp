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

/// How long datagrams wait for the address of their receiver. Then they are lost, and the transport sends again.
constexpr Duration max_wait_for_address = std::chrono::milliseconds(20);

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

void prepare(const Descriptor& socket, std::uint32_t receive_bytes) {
  const int bytes = static_cast<int>(receive_bytes);
  const int on = 1;
  setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  setsockopt(socket.number(), SOL_UDP, UDP_GRO, &on, sizeof on);  // without it, trains arrive as GSO segments
}

Result<> check(const UdpOptions& options) {
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

  State(const UdpOptions& chosen, UdpSocket bound, UdpPeers found_by, Clock& given, DatagramCalls& called)
      : options(chosen),
        socket(std::move(bound)),
        peers(std::move(found_by)),
        clock(given),
        calls(called),
        departures(framed_bytes(chosen.datagram_bytes)) {}

  bool send(const Datagram& datagram);
  bool send_now(const Datagram& datagram);
  bool wait_for_address();
  void flush();
  [[nodiscard]] bool find(Train& train, std::size_t i);
  std::size_t gather();
  void add_piece(std::size_t i, Train& train, std::uint32_t from, std::uint32_t bytes);
  bool send_gathered(std::size_t count);
  bool go_on_after(int error);

  [[nodiscard]] bool admits(std::span<const std::byte> datagram);

  UdpOptions options;
  UdpSocket socket;
  UdpPeers peers;
  Clock& clock;
  DatagramCalls& calls;
  Departures departures;
  Arrivals arrivals;
  UdpStatistics statistics;
  bool stalled = false;                        // the kernel had no buffers the last time, or an address is not known
  std::optional<transport::Time> waits_since;  // for the address that a large datagram needs

  std::array<Piece, max_messages> pieces{};
  std::array<mmsghdr, max_messages> messages{};
  std::array<iovec, max_messages> parts{};
  std::array<KernelAddress, max_messages> addresses{};
  std::array<SegmentControl, max_messages> controls{};
};

// ---- Out

bool UdpWire::State::send(const Datagram& datagram) {
  if (datagram.header.size() + datagram.payload.size() >= large_datagram) return send_now(datagram);
  if (departures.add(datagram)) return true;
  flush();
  return departures.add(datagram);
}

/// Sends from where the datagram is, without a copy. Datagrams that were gathered go first.
bool UdpWire::State::send_now(const Datagram& datagram) {
  flush();
  if (!departures.empty()) return false;
  const auto found = peers.find(datagram.to);
  if (!found) return wait_for_address();
  waits_since.reset();
  std::array<std::byte, frame_header_bytes> prefix{};
  (void)put_frame_header(datagram.header.size() + datagram.payload.size(), prefix.data());
  std::array<iovec, 3> whole{{{prefix.data(), prefix.size()},
                              {const_cast<std::byte*>(datagram.header.data()), datagram.header.size()},
                              {const_cast<std::byte*>(datagram.payload.data()), datagram.payload.size()}}};
  KernelAddress to = kernel_address(*found, socket.family);
  mmsghdr message{};
  message.msg_hdr.msg_name = to.get();
  message.msg_hdr.msg_namelen = to.size;
  message.msg_hdr.msg_iov = whole.data();
  message.msg_hdr.msg_iovlen = whole.size();
  ++statistics.system_calls;
  if (calls.send(socket.descriptor.number(), std::span(&message, 1)) == 1) {
    ++statistics.trains;
    return true;
  }
  stalled = no_buffers(errno);
  if (!stalled) ++statistics.dropped;
  if (stalled) ++statistics.no_room;
  return !stalled;
}

/// False: try again. The datagram is lost, and so taken, if that has lasted too long.
bool UdpWire::State::wait_for_address() {
  const transport::Time now = clock.now();
  stalled = now - waits_since.value_or(now) < max_wait_for_address;
  if (!waits_since) waits_since = now;
  if (stalled) return false;
  waits_since.reset();
  ++statistics.unreachable;
  return true;
}

void UdpWire::State::flush() {
  stalled = false;
  while (!departures.empty() && send_gathered(gather())) departures.clear_departed();
  departures.clear_departed();
}

/// Fills the entries of a system call; returns how many. Trains without an address stay, for a while.
std::size_t UdpWire::State::gather() {
  const auto segment = static_cast<std::uint32_t>(departures.segment_bytes());
  std::size_t count = 0;
  for (Train& train : departures.trains()) {
    if (count == max_messages || !find(train, count)) continue;
    std::uint32_t from = train.gone;
    while (from < train.bytes && count < max_messages) {
      const std::uint32_t rest = train.bytes - from;
      const std::uint32_t bytes = statistics.segmentation ? rest : std::min(rest, segment);
      if (from > train.gone) addresses[count] = addresses[count - 1];
      add_piece(count++, train, from, bytes);
      from += bytes;
    }
  }
  return count;
}

/// Sets the i-th address. False if the train has none.
bool UdpWire::State::find(Train& train, std::size_t i) {
  if (const auto found = peers.find(train.to)) {
    addresses[i] = kernel_address(*found, socket.family);
    return true;
  }
  const transport::Time now = clock.now();
  if (train.since == transport::Time{}) train.since = now;
  if (now - train.since < max_wait_for_address) {
    stalled = true;
  } else {
    train.gone = train.bytes;
    ++statistics.unreachable;
  }
  return false;
}

void UdpWire::State::add_piece(std::size_t i, Train& train, std::uint32_t from, std::uint32_t bytes) {
  pieces[i] = {&train, bytes};
  parts[i] = {train.memory.get() + from, bytes};
  msghdr& message = messages[i].msg_hdr;
  message = {};
  message.msg_name = addresses[i].get();
  message.msg_namelen = addresses[i].size;
  message.msg_iov = &parts[i];
  message.msg_iovlen = 1;
  const auto segment = static_cast<std::uint16_t>(departures.segment_bytes());
  if (bytes > segment) ask_for_segments(message, controls[i], segment);
}

/// False if the rest has to wait.
bool UdpWire::State::send_gathered(std::size_t count) {
  if (count == 0) return false;
  ++statistics.system_calls;
  const int sent = calls.send(socket.descriptor.number(), std::span(messages).first(count));
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

Result<std::unique_ptr<UdpWire>> UdpWire::make(const UdpOptions& options, UdpSocket socket, UdpPeers peers,
                                               Clock& clock, DatagramCalls& calls) {
  if (auto good = check(options); !good) return Failure(good.error());
  prepare(socket.descriptor, options.receive_bytes);
  auto state = std::make_unique<State>(options, std::move(socket), std::move(peers), clock, calls);
  return std::unique_ptr<UdpWire>(new UdpWire(std::move(state)));
}

Bytes UdpWire::memory_bytes(const UdpOptions& options) {
  return heap_taken_by(
      [&] { return std::make_unique<State>(options, UdpSocket{}, UdpPeers{}, steady_clock(), kernel_calls()); });
}

UdpWire::UdpWire(std::unique_ptr<State> state) : state_(std::move(state)) {}
UdpWire::~UdpWire() = default;

std::size_t UdpWire::datagram_bytes() const { return state_->options.datagram_bytes; }

bool UdpWire::send(const Datagram& datagram) { return state_->send(datagram); }

void UdpWire::flush() {
  if (!state_->departures.empty()) state_->flush();
}

bool UdpWire::State::admits(std::span<const std::byte> datagram) {
  if (!peers.admits || peers.admits(arrivals.source(), datagram)) return true;
  ++statistics.strangers;
  return false;
}

std::size_t UdpWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  Arrivals& arrivals = state_->arrivals;
  std::size_t count = 0;
  while (count < max_datagrams) {
    if (const auto datagram = arrivals.next()) {
      if (state_->admits(*datagram)) take(*datagram);
      ++count;
    } else if ((count > 0 && !goes_on(count, arrivals.bytes())) ||
               !arrivals.receive(state_->socket.descriptor.number(), state_->calls)) {
      break;
    }
  }
  return count;
}

Duration UdpWire::prepare_to_sleep(Duration timeout) {
  return state_->stalled ? std::min(timeout, retry_after) : timeout;
}

void UdpWire::add_descriptors(std::vector<pollfd>& polled) const {
  polled.push_back({state_->socket.descriptor.number(), POLLIN, 0});
}

void UdpWire::disown() { state_->socket.descriptor = Descriptor(); }

UdpStatistics UdpWire::statistics() const {
  UdpStatistics all = state_->statistics;
  all.malformed = state_->arrivals.malformed();
  return all;
}

}  // namespace ayatori::wires
