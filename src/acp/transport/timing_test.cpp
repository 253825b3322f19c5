#include <gtest/gtest.h>

#include "admission.hpp"
#include "round_trip.hpp"

namespace ayatori::transport {
namespace timing_test {

using namespace std::chrono_literals;

TEST(RoundTrip, TimeoutFollowsTheSamples) {
  const Retransmission options;
  RoundTrip round_trip(options);
  EXPECT_EQ(round_trip.timeout(options), options.initial_timeout);
  round_trip.sample(100us);
  EXPECT_EQ(round_trip.timeout(options), 300us);
  for (int i = 0; i < 100; ++i) round_trip.sample(100us);
  EXPECT_NEAR(static_cast<double>(round_trip.timeout(options).count()), 125'000, 1'000);
}

TEST(RoundTrip, TimeoutDoublesUntilASampleComes) {
  const Retransmission options;
  RoundTrip round_trip(options);
  round_trip.sample(100us);
  round_trip.timed_out();
  round_trip.timed_out();
  EXPECT_EQ(round_trip.timeout(options), 1200us);
  for (int i = 0; i < 100; ++i) round_trip.timed_out();
  EXPECT_EQ(round_trip.timeout(options), options.longest_timeout);
  round_trip.sample(100us);
  EXPECT_LT(round_trip.timeout(options), 400us);
}

TEST(RoundTrip, DataSampleReplacesTheSampleOfAnAsk) {
  const Retransmission options;
  RoundTrip round_trip(options);
  for (int i = 0; i < 3; ++i) round_trip.sample(100us, RoundTrip::Of::control);
  EXPECT_EQ(round_trip.timeout(options), 300us);
  round_trip.sample(10us);
  EXPECT_EQ(round_trip.timeout(options), 30us);
}

TEST(RoundTrip, FloorRisesOnDuplicatesAndFallsWithout) {
  const Retransmission options;
  RoundTrip round_trip(options);
  for (int i = 0; i < 100; ++i) round_trip.sample(10us);
  const Duration before = round_trip.timeout(options);
  round_trip.judge(64, 1, 1, options);
  EXPECT_GT(round_trip.timeout(options), before);
  const Duration raised = round_trip.floor();
  round_trip.judge(64, 0, 0, options);
  EXPECT_LT(round_trip.floor(), raised);
  for (int i = 0; i < 10'000; ++i) round_trip.judge(64, 0, 0, options);
  EXPECT_LE(round_trip.floor(), options.shortest_timeout + 64ns);
}

TEST(RoundTrip, FloorStaysWhereAnAcknowledgementWasLostOrACopyFoundNoBuffer) {
  const Retransmission options;
  RoundTrip round_trip(options);
  for (int i = 0; i < 100; ++i) round_trip.sample(10us);
  const Duration before = round_trip.timeout(options);
  for (int i = 0; i < 100; ++i) {
    round_trip.judge(64, 4, 0, options);  // came twice, and were not too soon
    round_trip.judge(64, 0, 4, options);  // too soon, and did not come
  }
  EXPECT_EQ(round_trip.timeout(options), before);
  round_trip.judge(32, 4, 0, options);
  round_trip.judge(32, 0, 4, options);  // the same copies, which two acknowledgements report
  EXPECT_GT(round_trip.timeout(options), before);
}

TEST(RoundTrip, FloorNeverExceedsFourRoundTrips) {
  const Retransmission options;
  RoundTrip round_trip(options);
  for (int i = 0; i < 100; ++i) round_trip.sample(10us);
  for (int i = 0; i < 1'000; ++i) round_trip.judge(64, 4, 4, options);
  EXPECT_LE(round_trip.timeout(options), 40us);
}

Options with_buffers(std::uint32_t buffers) {
  Options options;
  options.receive_buffers = buffers;
  return options;
}

TEST(Admission, IsOpenUntilAPacketIsLost) {
  Admission admission(with_buffers(2));
  EXPECT_EQ(admission.credit(0), max_window);
  admission.wants(0);
  EXPECT_FALSE(admission.grant(Time{}));
  admission.overflowed(0, Time{});
  EXPECT_TRUE(admission.rationing());
  EXPECT_EQ(admission.credit(1), 0U);
}

/// How many flows of those that lost a packet may send, the first to report it first.
std::uint32_t grant_all(Admission& admission) {
  std::uint32_t granted = 0;
  while (const auto flow = admission.grant(Time{})) EXPECT_EQ(*flow, granted++);
  return granted;
}

TEST(Admission, TotalCreditIsOneForEachBufferAndForPacketsInTransit) {
  Admission admission(with_buffers(2));
  for (ContextId flow = 0; flow < 100; ++flow) admission.overflowed(flow, Time{});
  const std::uint32_t granted = grant_all(admission);
  EXPECT_EQ(granted, 2 + Admission::in_transit);
  EXPECT_EQ(admission.credit(0), 1U);
  EXPECT_EQ(admission.credit(granted), 0U);
  EXPECT_TRUE(admission.queued(granted));
}

TEST(Admission, CreditOfOneFlowIsAtMostTheNumberOfBuffers) {
  Admission admission(with_buffers(3));
  admission.overflowed(0, Time{});
  EXPECT_EQ(grant_all(admission), 1U);
  EXPECT_EQ(admission.credit(0), 3U);
}

TEST(Admission, CreditIsPassedOnAfterAQuantum) {
  Admission admission(with_buffers(1));
  const ContextId last = 1 + Admission::in_transit;
  for (ContextId flow = 0; flow <= last; ++flow) admission.overflowed(flow, Time{});
  ASSERT_EQ(grant_all(admission), last);
  Packet packet;
  packet.more = true;
  packet.resent = true;  // losses, so that the total credit does not grow
  for (std::uint32_t i = 0; i < Admission::quantum; ++i) admission.arrived(0, packet, Time{});
  EXPECT_EQ(admission.credit(0), 0U);
  EXPECT_TRUE(admission.queued(0));
  EXPECT_EQ(admission.grant(Time{}), last);
}

TEST(Admission, GrantOnWhichNothingCameIsRepeatedAlsoIfNobodyWaits) {
  Admission admission(with_buffers(64));
  admission.overflowed(0, Time{});
  ASSERT_EQ(grant_all(admission), 1U);
  admission.expire(0, admission.lease_end(0));
  EXPECT_EQ(admission.grant(Time{}), 0U) << "the first may have been lost";
}

TEST(Admission, UnusedCreditStaysIfNobodyWaits) {
  Admission admission(with_buffers(64));
  admission.overflowed(0, Time{});
  ASSERT_EQ(grant_all(admission), 1U);
  admission.arrived(0, Packet{}, Time{});  // its sender knows of the credit
  const Time end = admission.lease_end(0);
  admission.expire(0, end);
  EXPECT_EQ(admission.credit(0), 64U);
  EXPECT_GT(admission.lease_end(0), end);
}

TEST(Admission, UnusedCreditExpires) {
  Admission admission(with_buffers(1));
  const ContextId last = 1 + Admission::in_transit;
  for (ContextId flow = 0; flow <= last; ++flow) admission.overflowed(flow, Time{});
  ASSERT_EQ(grant_all(admission), last);
  const Time end = admission.lease_end(0);
  admission.expire(0, end);
  EXPECT_EQ(admission.grant(end), last);
  EXPECT_TRUE(admission.queued(0)) << "the grant may have been lost: it is offered once more";
}

TEST(Admission, OpensAgainWhenNoFlowWaitsAndNoPacketIsLost) {
  Admission admission(with_buffers(1));
  admission.overflowed(0, Time{});
  ASSERT_EQ(admission.grant(Time{}), 0U);
  EXPECT_FALSE(admission.grant(Time(1s)));
  EXPECT_FALSE(admission.rationing());
  EXPECT_EQ(admission.credit(0), max_window);
}

}  // namespace timing_test
}  // namespace ayatori::transport
