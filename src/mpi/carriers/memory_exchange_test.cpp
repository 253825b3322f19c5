// Whole steps through memory: MemoryCarrier::exchange().
#include <gtest/gtest.h>

#include <thread>

#include "buffer_fixtures.hpp"
#include "memory_fixtures.hpp"

namespace ayatori {
namespace {

std::vector<CarriedMessage> messages(std::span<const Buffer> buffers, Rank peer) {
  std::vector<CarriedMessage> found;
  for (const Buffer& buffer : buffers) found.push_back(buffer.message(peer));
  return found;
}

std::vector<Buffer> empty_buffers(std::span<const std::size_t> sizes) {
  std::vector<Buffer> buffers;
  for (const std::size_t size : sizes) buffers.emplace_back(size, size < 3 ? 1 : 3);
  return buffers;
}

/// More than fits into the slots of a lane and an outbox, of all kinds of sizes.
TEST(MemoryExchange, CarriesMoreThanTheMemoryHas) {
  MemoryNetwork network(2);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < 60; ++i) sizes.push_back(std::array{0UL, 8UL, 232UL, 233UL, 5000UL, 100'000UL}[i % 6]);
  std::array<std::vector<Buffer>, 2> sent;
  std::array<std::vector<Buffer>, 2> received;
  std::array<std::jthread, 2> threads;
  for (Rank self = 0; self < 2; ++self) {
    for (std::size_t i = 0; i < sizes.size(); ++i) sent[self].push_back(filled(sizes[i], 100 * self + i));
    received[self] = empty_buffers(sizes);
    threads[self] = std::jthread([&, self] {
      const auto exchanged =
          network.carrier(self).exchange(messages(received[self], 1 - self), messages(sent[self], 1 - self));
      EXPECT_TRUE(exchanged.value_or(false));
    });
  }
  for (auto& thread : threads) thread.join();
  for (Rank self = 0; self < 2; ++self) {
    for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(received[self][i].bytes, sent[1 - self][i].bytes) << i;
  }
}

TEST(MemoryExchange, CarriesNothingWhileSomethingElseIsUnderWay) {
  MemoryNetwork network(2);
  const Buffer buffer = filled(8, 1);
  const Buffer other(8);
  ASSERT_TRUE(network.carrier(0).post_receive(0, other.message(1)));
  const CarriedMessage sends[] = {buffer.message(1)};
  EXPECT_FALSE(network.carrier(0).exchange({}, sends).value());
  ASSERT_TRUE(network.carrier(1).post_receive(0, other.message(0)));
  EXPECT_TRUE(test_all(network.carrier(1)).empty()) << "nothing was sent";
  const Buffer large(200'000);
  const CarriedMessage large_sends[] = {large.message(0)};
  EXPECT_FALSE(network.carrier(1).exchange({}, large_sends).value()) << "larger than what goes through an outbox";
}

TEST(MemoryExchange, KeepsMessagesOfOtherExecutionsForTheirReceives) {
  MemoryNetwork network(2);
  const Buffer early = filled(100, 1);
  const Buffer now = filled(100, 2);
  auto& sender = network.end(0).carrier;
  sender.set_context(7);
  ASSERT_TRUE(sender.post_send(0, early.message(1)));
  sender.set_context(8);
  ASSERT_TRUE(sender.post_send(0, now.message(1)));
  auto& receiver = network.end(1).carrier;
  const Buffer received(100);
  const CarriedMessage receives[] = {received.message(0)};
  receiver.set_context(8);
  ASSERT_TRUE(receiver.exchange(receives, {}).value());
  EXPECT_EQ(received.bytes, now.bytes);
  receiver.set_context(7);
  ASSERT_TRUE(receiver.exchange(receives, {}).value());
  EXPECT_EQ(received.bytes, early.bytes);
}

TEST(MemoryExchange, ReportsMessagesWhoseEndsDifferInSize) {
  MemoryNetwork network(2);
  const Buffer sent = filled(8, 1);
  ASSERT_TRUE(network.carrier(0).post_send(0, sent.message(1)));
  const Buffer received(12);
  const CarriedMessage receives[] = {received.message(0)};
  const auto exchanged = network.carrier(1).exchange(receives, {});
  ASSERT_FALSE(exchanged);
  EXPECT_NE(exchanged.error().message.find("8 bytes"), std::string::npos);
}

TEST(MemoryExchange, ReportsAPeerThatHasEnded) {
  const auto segment = NodeSegment::create(2).value();
  const NodeInvitation invitation = segment->invitation();
  const pid_t child = start_process([&] {
    const MemoryEnd end(NodeSegment::join(invitation).value(), 1);
    return 0;
  });
  ASSERT_EQ(status_of(child), 0);
  MemoryEnd end(segment, 0);
  const Buffer received(8);
  const CarriedMessage receives[] = {received.message(1)};
  const auto exchanged = end.carrier.exchange(receives, {});
  ASSERT_FALSE(exchanged);
  EXPECT_NE(exchanged.error().message.find("has ended"), std::string::npos) << exchanged.error().message;
}

}  // namespace
}  // namespace ayatori
