#include "calls.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace calls_test {

using namespace std::chrono_literals;

constexpr Time now{1ms};
constexpr std::array request{std::byte{1}, std::byte{2}};

struct CallsTest : testing::Test {
  static Options small() {
    Options options;
    options.messages = 3;
    options.replies = 2;
    options.give_up_after = 40ms;
    return options;
  }

  /// The number that the reply to this call repeats.
  std::uint64_t call_id(std::uint32_t slot) {
    std::uint64_t id = 0;
    std::memcpy(&id, slots[slot].bytes.data(), sizeof id);
    return id;
  }

  std::uint32_t call(PeerId to, Token token) {
    const std::uint32_t slot = calls.prepare(request, token);
    slots[slot].to = to;
    return slot;
  }

  Options options = small();
  MessageSlots slots{options.messages, options.replies};
  Calls calls{options, slots};
};

TEST_F(CallsTest, PreparedRequestHasItsNumberAndItsBytes) {
  const std::uint32_t slot = call(7, 70);
  const auto bytes = slots[slot].bytes;
  ASSERT_EQ(bytes.size(), operation_id_bytes + request.size());
  EXPECT_TRUE(std::ranges::equal(bytes.subspan(operation_id_bytes), request));
  EXPECT_EQ(slots[slot].kind, MessageKind::call);
  EXPECT_EQ(slots[slot].token, 70U);
}

TEST_F(CallsTest, AnsweredOnceAfterDelivery) {
  const std::uint32_t slot = call(7, 70);
  const std::uint64_t id = call_id(slot);
  EXPECT_FALSE(calls.awaits_replies());
  calls.delivered(slot, now);
  EXPECT_TRUE(calls.awaits_replies());
  const auto answered = calls.answered(7, id);
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->token, 70U);
  EXPECT_TRUE(answered->slot_free);
  EXPECT_FALSE(calls.awaits_replies());
  slots.give_back(answered->slot);
  EXPECT_FALSE(calls.answered(7, id)) << "a duplicate of the reply";
}

TEST_F(CallsTest, ReplyThatOvertakesTheAcknowledgementLeavesTheSlot) {
  const std::uint32_t slot = call(7, 70);
  const auto answered = calls.answered(7, call_id(slot));
  ASSERT_TRUE(answered);
  EXPECT_FALSE(answered->slot_free);
  EXPECT_TRUE(slots[slot].answered);
  EXPECT_FALSE(calls.awaits_replies());
}

TEST_F(CallsTest, AnsweredByNobodyButThePeerThatWasCalled) {
  const std::uint32_t slot = call(7, 70);
  EXPECT_FALSE(calls.answered(8, call_id(slot)));
  EXPECT_FALSE(calls.answered(7, call_id(slot) + (std::uint64_t{1} << 32)));
  EXPECT_FALSE(calls.answered(7, no_id));
  EXPECT_TRUE(calls.answered(7, call_id(slot)));
}

TEST_F(CallsTest, NumbersOfOneSlotDifferForEachCall) {
  std::set<std::uint64_t> seen;
  for (Token token = 0; token < 100; ++token) {
    const std::uint32_t slot = call(7, token);
    EXPECT_TRUE(seen.insert(call_id(slot)).second);
    slots.give_back(slot);
  }
}

TEST_F(CallsTest, FailAwaitingEndsThoseOfThatPeerOnly) {
  for (const PeerId peer : {7U, 8U, 7U}) calls.delivered(call(peer, peer), now);
  std::uint32_t failed = 0;
  calls.fail_awaiting(7, [&](std::uint32_t slot) {
    EXPECT_EQ(slots[slot].token, 7U);
    slots.give_back(slot);
    ++failed;
  });
  EXPECT_EQ(failed, 2U);
  EXPECT_TRUE(calls.awaits_replies());
  calls.fail_awaiting(8, [&](std::uint32_t slot) { slots.give_back(slot); });
  EXPECT_FALSE(calls.awaits_replies());
}

TEST_F(CallsTest, ProbesAQuarterOfGiveUpAfterOnceForEachReplyThatIsOwed) {
  EXPECT_EQ(calls.next_probe(), never);
  calls.delivered(call(7, 1), now);
  calls.delivered(call(8, 2), now + 1ms);
  EXPECT_EQ(calls.next_probe(), now + 10ms);
  std::multiset<PeerId> probed;
  const auto probe = [&](PeerId peer) { probed.insert(peer); };
  calls.probe_if_due(now + 9ms, probe);
  EXPECT_TRUE(probed.empty());
  calls.probe_if_due(now + 10ms, probe);
  EXPECT_EQ(probed, (std::multiset<PeerId>{7, 8}));
  EXPECT_EQ(calls.next_probe(), now + 20ms);
}

TEST_F(CallsTest, LastReplySlotIsKeptForACallThatOthersWaitFor) {
  ASSERT_TRUE(calls.reserve_reply(7, Urgency::early));
  EXPECT_FALSE(calls.reserve_reply(7, Urgency::early));
  ASSERT_TRUE(calls.reserve_reply(7, Urgency::at_its_turn));
  EXPECT_FALSE(calls.reserve_reply(7, Urgency::at_its_turn));
  EXPECT_TRUE(slots.has_room()) << "replies have slots of their own";
}

TEST_F(CallsTest, FinishedRepliesWaitInOrderWithNumberAndResult) {
  const auto first = calls.reserve_reply(7, Urgency::at_its_turn);
  const auto second = calls.reserve_reply(8, Urgency::at_its_turn);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(calls.has_replies());
  const std::array id{std::byte{9}, std::byte{0}, std::byte{0}, std::byte{0},
                      std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}};
  OperationResult result;
  result.bytes[0] = std::byte{5};
  result.size = max_operation_bytes + 1;  // an application that claims too much
  calls.finish_reply(*second, id, result);
  calls.finish_reply(*first, id, {});
  EXPECT_EQ(calls.next_reply_to(), 8U);
  EXPECT_EQ(calls.pop_reply(), *second);
  EXPECT_EQ(slots[*second].bytes.size(), operation_id_bytes + max_operation_bytes);
  EXPECT_EQ(slots[*second].bytes[0], std::byte{9});
  EXPECT_EQ(slots[*second].bytes[operation_id_bytes], std::byte{5});
  EXPECT_EQ(calls.pop_reply(), *first);
  EXPECT_EQ(slots[*first].bytes.size(), operation_id_bytes);
  EXPECT_FALSE(calls.has_replies());
}

}  // namespace calls_test
}  // namespace ayatori::transport
