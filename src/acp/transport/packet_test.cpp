#include "ayatori/transport/packet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace packet_test {

constexpr JobKey key = 0x0123456789abcdef;

Packet sample() {
  Packet packet;
  packet.from = 3;
  packet.to = 4;
  packet.epoch = 77;
  packet.sequence = 12;
  packet.stamp = 5;
  return packet;
}

std::vector<std::byte> encoded(const Packet& packet) {
  HeaderBuffer buffer;
  const auto header = encode_header(packet, key, buffer);
  std::vector<std::byte> bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
  return bytes;
}

TEST(Packet, DecodeReadsWhatEncodeHeaderWrote) {
  const std::vector<std::byte> payload(10, std::byte{9});
  Packet packet = sample();
  packet.unordered = packet.more = packet.resent = true;
  packet.acknowledgement = Acknowledgement{8, 0xf0, 5, 6, 7, 2, 3, true, true, true};
  packet.fragment = Fragment{1000, 100, 2};
  packet.payload = payload;
  const auto bytes = encoded(packet);
  EXPECT_EQ(bytes.size(), header_bytes + acknowledgement_bytes + fragment_bytes + payload.size());
  const auto read = decode(bytes, key, 4);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->from, 3U);
  EXPECT_EQ(read->epoch, 77U);
  EXPECT_EQ(read->sequence, 12U);
  EXPECT_EQ(read->stamp, 5U);
  EXPECT_TRUE(read->unordered && read->more && read->resent);
  EXPECT_EQ(read->acknowledgement, packet.acknowledgement);
  EXPECT_EQ(read->fragment, packet.fragment);
  EXPECT_TRUE(std::ranges::equal(read->payload, payload));
}

TEST(Packet, DecodeReportsAnotherJobOrRankAsStranger) {
  const auto bytes = encoded(sample());
  EXPECT_EQ(decode(bytes, key + 1, 4).error(), PacketDefect::stranger);
  EXPECT_EQ(decode(bytes, key, 5).error(), PacketDefect::stranger);
}

TEST(Packet, DecodeRefusesATruncatedPacket) {
  Packet packet = sample();
  packet.kind = PacketKind::acknowledgement;
  packet.acknowledgement = Acknowledgement{};
  const auto bytes = encoded(packet);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(decode(std::span(bytes).first(size), key, 4).error(), PacketDefect::malformed) << size;
  }
}

TEST(Packet, DecodeRefusesContradictions) {
  const std::vector<std::byte> payload(10);
  Packet beyond = sample();
  beyond.payload = payload;
  beyond.fragment = Fragment{100, 95, 1};
  EXPECT_FALSE(decode(encoded(beyond), key, 4));
  Packet before_its_flow = sample();
  before_its_flow.payload = payload;
  before_its_flow.fragment = Fragment{100, 0, 13};
  EXPECT_FALSE(decode(encoded(before_its_flow), key, 4));
  Packet without_epoch = sample();
  without_epoch.epoch = 0;
  EXPECT_FALSE(decode(encoded(without_epoch), key, 4));
  Packet renew_without_floor = sample();
  renew_without_floor.kind = PacketKind::renew;
  EXPECT_FALSE(decode(encoded(renew_without_floor), key, 4));
  Packet call_without_number = sample();
  call_without_number.message = MessageKind::call;
  EXPECT_FALSE(decode(encoded(call_without_number), key, 4));
}

TEST(Packet, DoneListsWholePutsWithNumbersOnly) {
  const std::array puts{FinishedPut{75, 4}, FinishedPut{76, 9}};
  std::array<std::byte, max_finished_puts * finished_put_bytes> memory{};
  Packet packet = sample();
  packet.kind = PacketKind::done;
  packet.payload = encode_finished_puts(puts, memory);
  const auto bytes = encoded(packet);
  auto rest = decode(bytes, key, 4)->payload;
  for (const FinishedPut& put : puts) {
    const FinishedPut read = take_finished_put(rest);
    EXPECT_EQ(read.number, put.number);
    EXPECT_EQ(read.sequence, put.sequence);
  }
  EXPECT_TRUE(rest.empty());
  packet.payload = packet.payload.first(packet.payload.size() - 1);
  EXPECT_FALSE(decode(encoded(packet), key, 4));
  packet.payload = std::span(memory).first(3 * finished_put_bytes);  // the third has the number 0
  EXPECT_FALSE(decode(encoded(packet), key, 4));
  const std::vector<std::byte> too_many((max_finished_puts + 1) * finished_put_bytes, std::byte{1});
  packet.payload = too_many;
  EXPECT_FALSE(decode(encoded(packet), key, 4));
}

TEST(Packet, CountMessagesAcceptsWholeMessagesOnly) {
  const std::vector<std::byte> payload{std::byte{1}, std::byte{0}, std::byte{7}, std::byte{0}, std::byte{0}};
  Packet packet = sample();
  packet.several = true;
  packet.payload = payload;
  const auto bytes = encoded(packet);
  const auto read = decode(bytes, key, 4);
  ASSERT_TRUE(read);
  EXPECT_EQ(count_messages(read->payload), 2U);
  auto rest = read->payload;
  EXPECT_EQ(take_message(rest).front(), std::byte{7});
  EXPECT_TRUE(take_message(rest).empty());
  EXPECT_TRUE(rest.empty());
  for (const std::size_t cut : {1U, 2U, 3U, 5U}) {
    packet.payload = std::span(payload).first(payload.size() - cut);
    EXPECT_EQ(decode(encoded(packet), key, 4).has_value(), cut == 2) << cut;
  }
  packet.message = MessageKind::reply;
  EXPECT_FALSE(decode(encoded(packet), key, 4));
}

/// Two readers of the same bytes, whatever they are.
TEST(Packet, DecodeExpressAgreesWithDecode) {
  std::uint64_t quick = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<std::byte> payload(random.below(60));
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random.below(4));
    Packet packet = sample();
    packet.kind = random.below(8) == 0 ? PacketKind::data : PacketKind::express;
    packet.message = random.below(8) == 0 ? MessageKind::reply : MessageKind::plain;
    packet.several = random.below(2) == 0;
    packet.unordered = random.below(2) == 0;
    if (random.below(4) == 0) packet.acknowledgement = Acknowledgement{};
    packet.payload = payload;
    auto bytes = encoded(packet);
    if (random.below(2) == 0) bytes[random.below(header_bytes)] ^= static_cast<std::byte>(1U << random.below(8));
    if (random.below(8) == 0) bytes.resize(random.below(bytes.size()));
    const auto full = decode(bytes, key, 4);
    const bool plain = full && full->kind == PacketKind::express && full->message == MessageKind::plain;
    const auto read = decode_express(bytes, key, 4);
    ASSERT_EQ(read.has_value(), plain && !full->acknowledgement);
    if (!read) continue;
    ++quick;
    EXPECT_EQ(read->from, full->from);
    EXPECT_EQ(read->several, full->several);
    EXPECT_EQ(read->messages, full->several ? *count_messages(full->payload) : 1);
    EXPECT_EQ(read->payload.data(), full->payload.data());
    EXPECT_EQ(read->payload.size(), full->payload.size());
  }
  EXPECT_GT(quick, 1'000U);
}

TEST(Stamp, SinceStampIsRightWithinAUnitAndAcrossTheWrap) {
  for (const std::int64_t start : {0L, 1000L, 274'877'906'000L, 86'400'000'000'000L}) {
    const Time sent{Duration(start)};
    const auto measured = since_stamp(stamp_of(sent), sent + std::chrono::microseconds(5));
    ASSERT_TRUE(measured);
    EXPECT_NEAR(static_cast<double>(measured->count()), 5000, 128);
  }
  EXPECT_FALSE(since_stamp(0, Time{}));
}

}  // namespace packet_test
}  // namespace ayatori::transport
