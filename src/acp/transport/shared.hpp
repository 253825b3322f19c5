#pragma once
/// \file
/// What the two halves of an endpoint, Sender and Receiver, have in common.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/transport/application.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/transport/packet.hpp"
#include "epochs.hpp"
#include "trace.hpp"

namespace ayatori::transport {

/// A notification for the application once the endpoint's state is consistent again, since the application may call the
/// endpoint from its callbacks.
struct Event {
  enum class Kind : std::uint8_t {
    deliver,
    release,
    acknowledged,
    failed,
    lost,
    operate,
    returned,
    completed,
    refused
  };

  Kind kind = Kind::deliver;
  PeerId peer = 0;
  Token token = 0;
  std::span<const std::byte> bytes{};
  std::byte* reserved = nullptr;
  std::uint32_t reply = no_id;  // the message slot that waits for an operation's result
  bool several = false;         // bytes are several messages to deliver
  Time since{};
};

/// Packets that belong to no context: control packets, and what Endpoint::notify() was given. Their number is bounded:
/// a control packet that finds no room here is made again for the peer's next packet, or by the next attempt to retire.
class Notices {
 public:
  void add(PacketKind kind, PeerId to, Epoch epoch, std::optional<Epoch> floor = {}) {
    if (count_ == capacity) return;
    ring_[(first_ + count_++) % capacity] = {kind, to, epoch, floor};
  }

  /// A message that travels as an express packet. False: there is no room, or it is too long.
  [[nodiscard]] bool add(PeerId to, std::span<const std::byte> message) {
    if (count_ == capacity || message.size() > max_operation_bytes) return false;
    // Express packets belong to no flow; an epoch must not be 0.
    Notice& notice = ring_[(first_ + count_++) % capacity] = {PacketKind::express, to, 1, {}};
    notice.bytes = message.size();
    std::ranges::copy(message, notice.message.begin());
    return true;
  }

  /// What the packet points to stays until the next call of add() or take().
  std::optional<Packet> take() {
    if (count_ == 0) return std::nullopt;
    const Notice& notice = ring_[std::exchange(first_, (first_ + 1) % capacity)];
    --count_;
    Packet packet;
    packet.kind = notice.kind;
    packet.to = notice.to;
    packet.epoch = notice.epoch;
    packet.floor = notice.floor;
    packet.payload = std::span(notice.message).first(notice.bytes);
    return packet;
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  struct Notice {
    PacketKind kind = PacketKind::close;
    PeerId to = 0;
    Epoch epoch = 0;
    std::optional<Epoch> floor;
    std::size_t bytes = 0;
    std::array<std::byte, max_operation_bytes> message{};
  };

  static constexpr std::uint32_t capacity = 64;
  std::array<Notice, capacity> ring_{};
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

struct Shared {
  Shared(const Options& chosen, Application& above, std::uint64_t seed, Epoch floor)
      : options(chosen), application(above), random(seed), epochs(floor) {}

  const Options options;
  Application& application;
  Random random;
  EpochClock epochs;  // of flows, and numbers of operations
  Statistics statistics;
  Trace trace;
  std::function<bool(PeerId)> lossless = [](PeerId) { return false; };  // see Wire::lossless()
  Notices notices;
  std::vector<Event> events;  // grows to what one call can cause: a window's packets, or a lost peer's messages
};

}  // namespace ayatori::transport
