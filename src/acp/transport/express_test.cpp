// What travels express, over a wire as shared memory is: it keeps all that it takes, in order, and takes no more than
// fits.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::transport {
namespace express_test {

using namespace std::chrono_literals;

using Bytes = std::vector<std::byte>;

constexpr JobKey key = 9;

/// What message `index` from one to another is: its size and all its bytes follow from these.
Bytes message(PeerId from, PeerId to, std::uint32_t index) {
  Random random(std::uint64_t{from} << 48 ^ std::uint64_t{to} << 32 ^ index);
  Bytes bytes(random.below(random.below(10) == 0 ? 6'000 : 200));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

struct Peer final : Application {
  Peer(PeerId chosen, const Options& options)
      : self(chosen), endpoint(*Endpoint::make({.self = chosen, .key = key, .seed = chosen}, options, *this)) {
    endpoint.use_express([](PeerId) { return true; });
  }

  std::byte* reserve(PeerId, ayatori::Bytes size, Urgency) override { return new std::byte[size]; }
  void release(std::byte* memory) override { delete[] memory; }
  void deliver(PeerId from, std::span<const std::byte> bytes, std::byte* memory) override {
    if (!std::ranges::equal(bytes, message(from, self, delivered[from]))) ++wrong;
    ++delivered[from];
    delete[] memory;
  }
  void acknowledged(Token which) override { pending.erase(which); }
  void failed(Token which) override {
    ++failures;
    pending.erase(which);
  }
  void lost(PeerId, Time since) override { lost_since.push_back(since); }
  OperationResult operate(PeerId from, std::span<const std::byte> request) override {
    // A call comes after all messages that were sent before it.
    std::uint32_t before = 0;
    std::memcpy(&before, request.data(), sizeof before);
    if (delivered[from] < before) ++wrong;
    ++operated;
    return {};
  }
  void returned(Token, std::span<const std::byte>) override { ++calls_returned; }

  bool send(Time now, PeerId to) {
    Bytes& bytes = pending[token] = message(self, to, sent[to]);
    if (!endpoint.send(now, to, bytes, token)) {
      pending.erase(token);
      return false;
    }
    ++sent[to];
    ++token;
    return true;
  }

  bool call(Time now, PeerId to) {
    const std::uint32_t before = sent[to];
    return endpoint.call(now, to, std::as_bytes(std::span(&before, 1)), 0) && ++calls > 0;
  }

  PeerId self;
  Endpoint endpoint;
  Token token = 1;
  std::map<Token, Bytes> pending;
  std::map<PeerId, std::uint32_t> sent;
  std::map<PeerId, std::uint32_t> delivered;
  std::uint32_t failures = 0, wrong = 0, operated = 0, calls = 0, calls_returned = 0;
  std::vector<Time> lost_since;
};

Options small() {
  Options options;
  options.datagram_bytes = 512;
  options.outgoing_contexts = options.incoming_contexts = 4;
  options.messages = 16;
  options.replies = 2;
  options.epoch_cells = 16;
  return options;
}

struct Node {
  explicit Node(PeerId count, std::size_t room_for, const Options& options = small()) : room(room_for) {
    for (PeerId self = 0; self < count; ++self) peers.push_back(std::make_unique<Peer>(self, options));
    rings.resize(count);
  }

  /// Whether the ring of the datagram's receiver has taken it.
  bool put(const Datagram& datagram) {
    if (rings[datagram.to].size() >= room) return false;
    Bytes bytes(datagram.header.begin(), datagram.header.end());
    bytes.insert(bytes.end(), datagram.payload.begin(), datagram.payload.end());
    rings[datagram.to].push_back(std::move(bytes));
    return true;
  }

  /// A round of a driver: what the transport doesn't send express is dropped where there is no room.
  void drive(PeerId self, std::size_t max_taken = 64) {
    Endpoint& endpoint = peers[self]->endpoint;
    while (const auto datagram = endpoint.next_express()) endpoint.settle_express(now, put(*datagram));
    while (const auto datagram = endpoint.next_packet(now)) (void)put(*datagram);
    for (std::size_t n = 0; n < max_taken && !rings[self].empty(); ++n) {
      const Bytes bytes = std::move(rings[self].front());
      rings[self].pop_front();
      endpoint.receive(now, bytes);
    }
    if (endpoint.next_deadline() <= now) endpoint.advance(now);
  }

  /// Drives all until nothing is under way, for a few seconds of their time at most.
  void settle() {
    const auto busy = [](const auto& peer) { return !peer->pending.empty() || peer->calls_returned < peer->calls; };
    const auto full = [](const auto& ring) { return !ring.empty(); };
    for (const Time end = now + 5s; now < end; now += 20us) {
      if (std::ranges::none_of(peers, busy) && std::ranges::none_of(rings, full)) return;
      for (PeerId self = 0; self < peers.size(); ++self) drive(self);
    }
  }

  Peer& operator[](PeerId self) { return *peers[self]; }

  Time now{1ms};
  std::size_t room;
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<std::deque<Bytes>> rings;  // by receiver
};

TEST(Express, MessageIsAcknowledgedByTheWireWithoutControlPackets) {
  Node node(2, 16);
  while (message(0, 1, node[0].sent[1]).size() < 200) {
    ASSERT_TRUE(node[0].send(node.now, 1));
    node.drive(0);
    EXPECT_TRUE(node[0].pending.empty());
    node.drive(1);
    node.now += 1us;
  }
  EXPECT_EQ(node[1].delivered[0], node[0].sent[1]);
  const Statistics& statistics = node[0].endpoint.statistics();
  EXPECT_GT(statistics.express_packets, 0U);
  EXPECT_EQ(statistics.express_packets, statistics.data_packets);
  EXPECT_EQ(statistics.control_packets, 0U);
}

/// Random sends and calls between peers that are slow, or stand still for a while, over rings with hardly any room.
TEST(Express, MessagesStayInOrderWhateverTheWireRefuses) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto count = static_cast<PeerId>(2 + random.below(3));
    Node node(count, 1 + random.below(8));
    std::vector<Time> stopped_until(count);
    for (int step = 0; step < 4'000; ++step) {
      const auto self = static_cast<PeerId>(random.below(count));
      const auto to = static_cast<PeerId>((self + 1 + random.below(count - 1)) % count);
      node.now += Duration(random.below(20'000));
      if (random.below(500) == 0) stopped_until[self] = node.now + Duration(random.below(20'000'000));
      if (stopped_until[self] > node.now) continue;
      if (random.below(3) == 0) (void)node[self].send(node.now, to);
      if (random.below(20) == 0) (void)node[self].call(node.now, to);
      node.drive(self, random.below(4));
    }
    node.settle();
    std::uint64_t express = 0;
    for (PeerId self = 0; self < count; ++self) {
      Peer& peer = node[self];
      EXPECT_EQ(peer.wrong, 0U);
      EXPECT_TRUE(peer.pending.empty());
      EXPECT_EQ(peer.calls_returned, peer.calls);
      EXPECT_EQ(peer.failures + peer.lost_since.size(), 0U);
      for (PeerId to = 0; to < count; ++to) EXPECT_EQ(node[to].delivered[self], peer.sent[to]);
      express += peer.endpoint.statistics().express_packets;
    }
    EXPECT_GT(express, 0U);
    if (HasFailure()) break;
  }
}

/// The sender does not spin while a ring stays full: it sends the message acknowledged instead, and it arrives later.
TEST(Express, RefusedMessagesAreSentAsDataPackets) {
  Node node(2, 1);
  for (int i = 0; i < 12; ++i) (void)node[0].send(node.now, 1);
  for (int i = 0; i < 1'000; ++i, node.now += 100us) node.drive(0);
  EXPECT_FALSE(node[0].pending.empty());
  EXPECT_GT(node[0].endpoint.statistics().asks + node[0].endpoint.statistics().retransmissions, 0U);
  node.settle();
  EXPECT_TRUE(node[0].pending.empty());
  EXPECT_EQ(node[1].delivered[0], 12U);
  EXPECT_EQ(node[1].wrong, 0U);
}

TEST(Express, PeerThatEndsWithMessagesInItsRingIsLost) {
  Options options = small();
  options.give_up_after = 200ms;
  Node node(2, 16, options);
  ASSERT_TRUE(node[0].send(node.now, 1));
  ASSERT_TRUE(node[1].send(node.now, 0));
  node.settle();
  const Time heard = node.now;
  ASSERT_TRUE(node[0].send(node.now, 1));
  for (int i = 0; i < 10'000 && node[0].lost_since.empty(); ++i, node.now += 1ms) node.drive(0);
  ASSERT_EQ(node[0].lost_since.size(), 1U);
  EXPECT_LE(node[0].lost_since[0], heard);
  EXPECT_TRUE(node[0].pending.empty());
  EXPECT_EQ(node[0].endpoint.outgoing_contexts(), 0U);
}

TEST(Express, PacketWithAnotherJobKeyIsDropped) {
  Node node(2, 16);
  Packet packet;
  packet.kind = PacketKind::express;
  packet.from = 0;
  packet.to = 1;
  packet.epoch = 1;
  HeaderBuffer buffer;
  for (const bool stranger : {true, false}) {
    const auto header = encode_header(packet, stranger ? key + 1 : key, buffer);
    node[1].endpoint.receive(node.now, header);
  }
  EXPECT_EQ(node[1].endpoint.statistics().strangers, 1U);
  EXPECT_EQ(node[1].delivered[0], 1U);
}

}  // namespace express_test
}  // namespace ayatori::transport
