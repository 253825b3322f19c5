#include "ayatori/transport/endpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace ayatori::transport {
namespace endpoint_test {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

struct Recorder final : Application {
  std::byte* reserve(PeerId, Bytes size, Urgency) override { return new std::byte[size]; }
  void deliver(PeerId from, std::span<const std::byte> message, std::byte* reserved) override {
    std::string text(reinterpret_cast<const char*>(message.data()), message.size());
    events.push_back("got " + text + " from " + std::to_string(from));
    delete[] reserved;
  }
  void release(std::byte* reserved) override { delete[] reserved; }
  void acknowledged(Token token) override { events.push_back("acknowledged " + std::to_string(token)); }
  void failed(Token token) override { events.push_back("failed " + std::to_string(token)); }
  void lost(PeerId peer, Time) override { events.push_back("lost " + std::to_string(peer)); }
  OperationResult operate(PeerId, std::span<const std::byte> request) override {
    events.push_back("operate");
    OperationResult result;
    std::ranges::copy(request, result.bytes.begin());
    result.size = claims_too_much ? max_operation_bytes + 1 : request.size();
    return result;
  }
  void returned(Token token, std::span<const std::byte>) override {
    events.push_back("returned " + std::to_string(token));
  }

  std::vector<std::string> events;
  bool claims_too_much = false;  // of a result's size
};

using Copy = std::vector<std::byte>;

/// Two endpoints and a hand that carries datagrams.
struct Pair {
  Recorder a_above, b_above;
  Endpoint a, b;
  Time now{1ms};

  explicit Pair(const Options& options = {}) : a(made(0, options, a_above)), b(made(1, options, b_above)) {}

  static Endpoint made(PeerId self, const Options& options, Application& above) {
    auto result = Endpoint::make({.self = self, .key = 9, .seed = self}, options, above);
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  std::vector<Copy> take(Endpoint& from) {
    std::vector<Copy> taken;
    while (const auto datagram = from.next_packet(now)) {
      Copy copy(datagram->header.begin(), datagram->header.end());
      copy.insert(copy.end(), datagram->payload.begin(), datagram->payload.end());
      taken.push_back(std::move(copy));
    }
    return taken;
  }

  void carry(Endpoint& from, Endpoint& to, bool data = true) {
    for (const Copy& copy : take(from)) {
      if (data || is_control(copy)) to.receive(now, copy);
    }
  }

  void settle() {
    for (int i = 0; i < 4; ++i) {
      carry(a, b);
      carry(b, a);
    }
  }
};

using Events = std::vector<std::string>;

TEST(Endpoint, FirstPacketIsDeliveredWithoutAHandshake) {
  Pair pair;
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("hello"), 5));
  pair.carry(pair.a, pair.b);
  EXPECT_EQ(pair.b_above.events, Events{"got hello from 0"});
  pair.carry(pair.b, pair.a);
  EXPECT_EQ(pair.a_above.events, Events{"acknowledged 5"});
}

TEST(Endpoint, LateDuplicateIsNeverDeliveredAgain) {
  Pair pair;
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("once"), 1));
  const auto late = pair.take(pair.a);
  for (const Copy& copy : late) pair.b.receive(pair.now, copy);
  pair.settle();
  pair.a.close_idle(pair.now);
  pair.settle();
  ASSERT_EQ(pair.b.incoming_contexts(), 0U);
  pair.now += std::chrono::hours(24 * 365);
  for (const Copy& copy : late) pair.b.receive(pair.now, copy);
  pair.settle();
  EXPECT_EQ(pair.b_above.events, Events{"got once from 0"});
  EXPECT_EQ(pair.b.incoming_contexts(), 0U);
  // What comes after it is new all the same.
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("again"), 2));
  pair.settle();
  EXPECT_EQ(pair.b_above.events.back(), "got again from 0");
}

TEST(Endpoint, FlowBelowTheFloorOfItsCellIsRenewed) {
  Options options;
  options.epoch_cells = 1;
  Pair pair(options);
  pair.now += 1h;
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("high"), 1));
  pair.settle();
  pair.a.close_idle(pair.now);
  pair.settle();
  // Another endpoint, whose clock is behind, shares the cell.
  Recorder above;
  Endpoint behind = *Endpoint::make({.self = 2, .key = 9, .seed = 2}, options, above);
  ASSERT_TRUE(behind.send(Time(1ms), 1, bytes_of("low"), 1));
  for (int i = 0; i < 3; ++i) {
    pair.carry(behind, pair.b);
    pair.carry(pair.b, behind);
  }
  EXPECT_EQ(pair.b_above.events, (Events{"got high from 0", "got low from 2"}));
  EXPECT_EQ(behind.statistics().renewals, 1U);
}

TEST(Endpoint, CallIsCarriedOutOnce) {
  Pair pair;
  ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("x"), 7));
  const auto call = pair.take(pair.a);
  for (int i = 0; i < 3; ++i) pair.b.receive(pair.now, call.at(0));
  pair.settle();
  EXPECT_EQ(pair.b_above.events, Events{"operate"});
  EXPECT_EQ(pair.a_above.events, Events{"returned 7"});
}

TEST(Endpoint, ResultIsCutToWhatACallMayReturn) {
  Pair pair;
  pair.b_above.claims_too_much = true;
  ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("x"), 7));
  pair.settle();
  EXPECT_EQ(pair.a_above.events, Events{"returned 7"});
}

TEST(Endpoint, NotifyDeliversEachCopyThatArrivesAndNobodyAnswers) {
  Pair pair;
  ASSERT_TRUE(pair.a.notify(pair.now, 1, bytes_of("news")));
  const auto copies = pair.take(pair.a);
  ASSERT_EQ(copies.size(), 1U);
  for (int times = 0; times < 2; ++times) pair.b.receive(pair.now, copies[0]);
  EXPECT_EQ(pair.b_above.events, (Events{"got news from 0", "got news from 0"}));
  EXPECT_TRUE(pair.take(pair.b).empty());
  EXPECT_TRUE(pair.a.fully_closed());
  EXPECT_EQ(pair.a.next_deadline(), never);
}

TEST(Endpoint, NotifyKeepsNeitherTheMemoryOfAMessageNorMoreThanSomeOfThem) {
  Pair pair;
  const std::vector<std::byte> large(max_operation_bytes + 1);
  EXPECT_FALSE(pair.a.notify(pair.now, 1, large));
  int taken = 0;
  for (std::string text = "0"; pair.a.notify(pair.now, 1, bytes_of(text)); text = std::to_string(++taken)) {
  }
  EXPECT_GT(taken, 16);
  pair.carry(pair.a, pair.b);
  ASSERT_EQ(pair.b_above.events.size(), static_cast<std::size_t>(taken));
  EXPECT_EQ(pair.b_above.events.back(), "got " + std::to_string(taken - 1) + " from 0");
  EXPECT_TRUE(pair.a.notify(pair.now, 1, bytes_of("again")));
}

/// Flows are asked back where contexts are scarce, not from the only peer.
TEST(Endpoint, AwaitedReplyKeepsFlowsOpen) {
  Pair pair;
  for (Token token = 1; token <= 3; ++token) {
    ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("x"), token));
    pair.settle();
  }
  EXPECT_EQ(pair.a_above.events, (Events{"returned 1", "returned 2", "returned 3"}));
  EXPECT_EQ(pair.a.statistics().closed + pair.b.statistics().closed, 0U);
  EXPECT_EQ(pair.b.statistics().control_packets, 0U);
}

/// Calls a peer that dies as soon as it has the call.
void expect_a_lost_call(Duration give_up_after) {
  Options options;
  options.give_up_after = give_up_after;
  Pair pair(options);
  ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("x"), 7));
  pair.carry(pair.a, pair.b);
  pair.take(pair.b);  // the reply is lost, and the acknowledgement on it
  pair.now += 2ms;
  pair.a.advance(pair.now);
  pair.carry(pair.a, pair.b);
  pair.carry(pair.b, pair.a, false);  // the answer: the call was delivered
  EXPECT_TRUE(pair.a_above.events.empty());
  // From here on the peer is dead.
  for (int i = 0; i < 4000 && pair.a_above.events.empty(); ++i) {
    pair.now = std::max(pair.now, pair.a.next_deadline());
    pair.a.advance(pair.now);
    pair.take(pair.a);
  }
  EXPECT_EQ(pair.a_above.events, (Events{"failed 7", "lost 1"}));
  EXPECT_TRUE(pair.a.fully_closed());
}

TEST(Endpoint, CallWhoseReplyNeverComesFails) {
  expect_a_lost_call(1s);
  expect_a_lost_call(10ms);  // less than time-outs grow to
}

/// To the call of this slot's generation, in a flow of its own. The first call has slot 0 and generation 1; when it
/// ends, the generation is 2.
Copy forged_reply(PeerId from, std::uint32_t generation, Sequence sequence = 0) {
  Packet reply;
  reply.from = from;
  reply.epoch = 5;
  reply.sequence = sequence;
  reply.message = MessageKind::reply;
  HeaderBuffer buffer;
  const auto header = encode_header(reply, 9, buffer);
  Copy copy(header.begin(), header.end());
  copy.insert(copy.end(), {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, static_cast<std::byte>(generation),
                           std::byte{0}, std::byte{0}, std::byte{0}});
  return copy;
}

TEST(Endpoint, CallIsAnsweredByThePeerThatWasCalledAndOnce) {
  Pair pair;
  ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("x"), 7));
  (void)pair.take(pair.a);
  pair.a.receive(pair.now, forged_reply(2, 1));
  pair.a.receive(pair.now, forged_reply(1, 3));
  EXPECT_TRUE(pair.a_above.events.empty());
  pair.a.receive(pair.now, forged_reply(1, 1, 1));
  pair.a.receive(pair.now, forged_reply(1, 1, 2));
  EXPECT_EQ(pair.a_above.events, Events{"returned 7"});
}

TEST(Endpoint, ReplyToAFailedCallIsIgnored) {
  Options options;
  options.give_up_after = 10ms;
  Pair pair(options);
  ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("x"), 7));
  const auto call = pair.take(pair.a);
  for (int i = 0; i < 100 && pair.a_above.events.empty(); ++i) {
    pair.now = std::max(pair.now, pair.a.next_deadline());
    pair.a.advance(pair.now);
    pair.take(pair.a);
  }
  ASSERT_EQ(pair.a_above.events, (Events{"failed 7", "lost 1"}));
  pair.a.receive(pair.now, forged_reply(1, 2));  // a guess at the number of the next call in its slot
  EXPECT_EQ(pair.a_above.events, (Events{"failed 7", "lost 1"}));
}

TEST(Endpoint, AcknowledgementsAreSharedAndTravelWithData) {
  Pair pair;
  for (Token token = 0; token < 16; ++token) ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("m"), token));
  pair.carry(pair.a, pair.b);
  ASSERT_TRUE(pair.b.send(pair.now, 0, bytes_of("back"), 99));
  const auto back = pair.take(pair.b);
  ASSERT_EQ(back.size(), 1U);
  pair.a.receive(pair.now, back[0]);
  EXPECT_EQ(pair.a_above.events.size(), 17U);
}

TEST(Endpoint, CoalescedPacketHasTheSameMessagesWhenSentAgain) {
  Options options;
  options.retransmission.admission = false;
  Pair pair(options);
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("one"), 1));
  ASSERT_TRUE(pair.a.send(pair.now, 1, {}, 2));
  const auto first = pair.take(pair.a);
  ASSERT_EQ(first.size(), 1U);
  // A message that is queued after the first copy was made is not in the second.
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("three"), 3));
  ASSERT_EQ(pair.take(pair.a).size(), 1U);
  pair.now += 2ms;
  pair.a.advance(pair.now);
  pair.carry(pair.a, pair.b);
  pair.b.receive(pair.now, first[0]);
  EXPECT_EQ(pair.b_above.events, (Events{"got one from 0", "got  from 0", "got three from 0"}));
  pair.settle();
  EXPECT_EQ(pair.a_above.events, (Events{"acknowledged 1", "acknowledged 2", "acknowledged 3"}));
  EXPECT_EQ(pair.a.statistics().data_packets, 2U);
  EXPECT_EQ(pair.b.statistics().delivered, 3U);
  EXPECT_EQ(pair.b.statistics().duplicates, 1U);
}

TEST(Endpoint, CoalescedPacketWaitsUntilItIsInSequence) {
  Pair pair;
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("first"), 1));
  const auto first = pair.take(pair.a);
  for (Token token : {2U, 3U}) ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("early"), token));
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("any"), 4, Order::unordered));
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("time"), 5, Order::unordered));
  pair.carry(pair.a, pair.b);
  EXPECT_EQ(pair.b_above.events, (Events{"got any from 0", "got time from 0"}));
  pair.b.receive(pair.now, first[0]);
  EXPECT_EQ(pair.b_above.events,
            (Events{"got any from 0", "got time from 0", "got first from 0", "got early from 0", "got early from 0"}));
}

/// What a peer that does not keep to the protocol might send: from 0 to 1, in a flow of its own.
Copy forged(Sequence sequence, std::string_view payload, bool several, std::optional<Fragment> fragment = {}) {
  Packet packet;
  packet.to = 1;
  packet.epoch = 5;
  packet.sequence = sequence;
  packet.several = several;
  packet.fragment = fragment;
  HeaderBuffer buffer;
  const auto header = encode_header(packet, 9, buffer);
  Copy copy(header.begin(), header.end());
  copy.insert(copy.end(), bytes_of(payload).begin(), bytes_of(payload).end());
  return copy;
}

TEST(Endpoint, FragmentOfACompleteMessageIsDropped) {
  Pair pair;
  pair.b.receive(pair.now, forged(1, std::string_view("\1\0a\1\0b", 6), true));
  pair.b.receive(pair.now, forged(2, "\xff\xff\xff\xff\xff\xff", false, Fragment{6, 0, 1}));
  pair.b.receive(pair.now, forged(0, "first", false));
  EXPECT_EQ(pair.b_above.events, (Events{"got first from 0", "got a from 0", "got b from 0"}));
}

TEST(Endpoint, FragmentBeyondTheMessageSizeIsDropped) {
  Pair pair;
  pair.b.receive(pair.now, forged(0, "12", false, Fragment{4, 0, 0}));
  pair.b.receive(pair.now, forged(1, "123", false, Fragment{4, 0, 1}));
  pair.b.receive(pair.now, forged(1, "12345", false, Fragment{5, 0, 1}));
  EXPECT_TRUE(pair.b_above.events.empty());
  pair.b.receive(pair.now, forged(1, "34", false, Fragment{4, 2, 1}));
  EXPECT_EQ(pair.b_above.events, Events{"got 1234 from 0"});
}

/// Its own absence is not its peer's, even if what it asked for was lost on the way.
TEST(Endpoint, StoppedEndpointDoesNotGiveUpPeersForItsOwnAbsence) {
  Pair pair;
  ASSERT_TRUE(pair.a.send(pair.now, 1, bytes_of("hello"), 1));
  pair.settle();
  pair.b.close_idle(pair.now);
  pair.take(pair.b);  // "close your flow": lost
  pair.now += 40s;
  pair.b.advance(pair.now);
  EXPECT_EQ(pair.b_above.events, Events{"got hello from 0"});
  pair.settle();
  EXPECT_EQ(pair.b.incoming_contexts(), 0U);
}

TEST(Endpoint, MakeNamesTheOptionThatIsOutOfRange) {
  Recorder above;
  Options options;
  options.window = 65;
  const auto made = Endpoint::make({.self = 0, .key = 1}, options, above);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "window is 65; it must be 1 to 64");
  // Doubled sixteen times, it would not fit into a Time any more.
  options.window = 64;
  options.retransmission.longest_timeout = std::chrono::hours(100'000);
  const auto too_long = Endpoint::make({.self = 0, .key = 1}, options, above);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().message,
            "longest_timeout is 360000000000000000 ns; it must be more than 0, and at most 3600 s");
}

TEST(Endpoint, SendIsRefusedWhenAllMessageSlotsAreBusy) {
  Options options;
  options.messages = 2;
  Pair pair(options);
  EXPECT_TRUE(pair.a.send(pair.now, 1, bytes_of("1"), 1));
  EXPECT_TRUE(pair.a.send(pair.now, 1, bytes_of("2"), 2));
  EXPECT_FALSE(pair.a.send(pair.now, 1, bytes_of("3"), 3));
  pair.settle();
  EXPECT_TRUE(pair.a.send(pair.now, 1, bytes_of("3"), 3));
}

TEST(Endpoint, IsNotFullyClosedWhileAReplyIsToCome) {
  Pair pair;
  ASSERT_TRUE(pair.a.call(pair.now, 1, bytes_of("ask"), 3));
  // Acknowledgements arrive, what is asked for does not.
  for (int i = 0; i < 100 && (i == 0 || pair.a.outgoing_contexts() > 0); ++i) {
    pair.carry(pair.a, pair.b);
    pair.carry(pair.b, pair.a, false);
    pair.now += 10ms;
    pair.a.advance(pair.now);
    pair.b.advance(pair.now);
    pair.a.close_idle(pair.now);
  }
  ASSERT_EQ(pair.a.outgoing_contexts(), 0U);
  (void)pair.take(pair.a);
  EXPECT_FALSE(pair.a.fully_closed());
  for (int i = 0; i < 100 && !pair.a.fully_closed(); ++i) {
    pair.settle();
    pair.now += 10ms;
    pair.b.advance(pair.now);
    pair.b.close_idle(pair.now);
  }
  EXPECT_EQ(pair.a_above.events, Events{"returned 3"});
  EXPECT_TRUE(pair.a.fully_closed());
}

}  // namespace endpoint_test
}  // namespace ayatori::transport
