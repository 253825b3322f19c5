#include "ayatori/shm/shm_wire.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "ayatori/testing/children.hpp"
#include "ayatori/testing/folder.hpp"
#include "ayatori/testing/process.hpp"
#include "ayatori/testing/stopping.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

/// Names of sockets are the machine's: no other test, nor another run, may have the same key.
JobKey own_key() {
  static JobKey tests = 0;
  return static_cast<JobKey>(getpid()) << 32 | ++tests;
}

struct Node {
  Folder folder;
  JobKey key = own_key();

  [[nodiscard]] ShmOptions options(Rank self) const { return {.self = self, .key = key, .folder = folder.path()}; }
  [[nodiscard]] std::unique_ptr<ShmWire> wire(Rank self) const { return need(ShmWire::make(options(self))); }
};

TEST(ShmWire, BetweenThreadsLosesNothing) {
  const Node node;
  in_threads(4, [&](Rank rank) {
    const auto wire = node.wire(rank);
    TestProcess(*wire, {rank, node.key, rank, 0}, {}).exchange(4, 150, 60'000);
  });
  EXPECT_TRUE(std::filesystem::is_empty(node.folder.path()));
}

TEST(ShmWire, BetweenProcessesWithTinyRingsAndFewMappingsLosesNothing) {
  const Node node;
  in_processes(6, [&](Rank rank) {
    ShmOptions options = node.options(rank);
    options.cells = 16;
    options.buffers = 2;
    options.datagram_bytes = 512;
    options.mappings = 2;
    const auto wire = need(ShmWire::make(options));
    TestProcess(*wire, {rank, node.key, rank, 0}, with_receive_buffers(8)).exchange(6, 60, 10'000);
  });
  EXPECT_TRUE(std::filesystem::is_empty(node.folder.path()));
}

TEST(ShmWire, AStoppedReceiverLosesNothing) {
  const Node node;
  stop_and_continue_a_receiver([&](Rank rank) { return node.wire(rank); }, node.key);
}

/// Rank 1 takes what comes until it is killed.
Child taker(const Node& node) {
  return Child([&node] {
    const auto wire = node.wire(1);
    TestProcess process(*wire, {1, node.key, 1, 0}, {});
    process.run([] { return false; });
  });
}

TEST(ShmWire, AKilledPeerIsReportedAndItsPlaceTaken) {
  const Node node;
  Child receiver = taker(node);
  const auto wire = node.wire(0);
  TestProcess process(*wire, {0, node.key, 0, 0}, giving_up_after(100ms));
  process.send(1, 0, 1'000);
  process.run([&] { return process.idle(); });
  receiver.signal(SIGKILL);
  EXPECT_EQ(receiver.wait(), -SIGKILL);
  process.send(1, 1, 1'000);   // its ring takes this: who sends learns by itself that nobody takes it from there
  process.send(1, 2, 60'000);  // this has to be acknowledged
  process.run([&] { return !process.lost_peers.empty(); });
  EXPECT_EQ(process.lost_peers, std::vector<PeerId>{1});
  EXPECT_TRUE(process.idle());
  EXPECT_EQ(process.endpoint().outgoing_contexts(), 0U);
  const auto successor = node.wire(1);
  EXPECT_FALSE(ShmWire::make(node.options(1))) << "now it lives";
}

TEST(ShmWire, AKilledPeerIsReportedThoughItsRingTookEverything) {
  const Node node;
  Child receiver = taker(node);
  const auto wire = node.wire(0);
  TestProcess process(*wire, {0, node.key, 0, 0}, giving_up_after(100ms));
  process.send(1, 0, 100);
  process.run([&] { return process.idle(); });
  receiver.signal(SIGKILL);
  EXPECT_EQ(receiver.wait(), -SIGKILL);
  process.send(1, 1, 100);
  process.run([&] { return process.idle(); });
  process.run([&] { return !process.lost_peers.empty(); });
  EXPECT_EQ(process.endpoint().outgoing_contexts(), 0U);
}

/// A sender killed at any moment holds up nobody.
TEST(ShmWire, KilledSendersHoldUpNobody) {
  const Node node;
  const auto wire = node.wire(0);
  std::vector<std::byte> bytes(8'000);
  for (int round = 0; round < 20; ++round) {
    Child sender([&] {
      const auto own = node.wire(1);
      while (true) (void)own->send({0, false, std::span(bytes).first(40), std::span(bytes).subspan(40)});
    });
    std::size_t got = 0;
    while (got < 100) got += wire->poll(64, [](auto) {});
    sender.signal(SIGKILL);
    sender.wait();
  }
  const auto other = node.wire(2);
  bool arrived = false;
  while (!arrived) {
    (void)other->send({0, false, std::span(bytes).first(99), {}});
    wire->poll(64, [&](std::span<const std::byte> datagram) { arrived = arrived || datagram.size() == 99; });
  }
}

TEST(ShmWire, AWrongSegmentIsAnErrorAndNoCrash) {
  const Node node;
  const auto wire = node.wire(0);
  const std::vector<std::byte> bytes(100);
  ASSERT_TRUE(wire->send({1, false, bytes, {}}));
  EXPECT_EQ(wire->statistics().absent, 1U);
  EXPECT_FALSE(wire->problem()) << "that a peer is not there yet is none";
  const auto path = node.folder.path() / fmt::format("ayatori-{:016x}-1", node.key);
  std::ofstream(path) << std::string(10'000, 'x');
  ASSERT_TRUE(wire->send({1, false, bytes, {}}));
  ASSERT_TRUE(wire->problem());
  EXPECT_EQ(wire->problem()->message, path.native() + " can't be used");
  EXPECT_EQ(wire->problem()->cause, "it is no ring of this version");
}

TEST(ShmWire, FindsAPeerThatCameBack) {
  const Node node;
  const auto wire = node.wire(0);
  const std::vector<std::byte> bytes(100);
  for (int life = 0; life < 3; ++life) {
    const auto peer = node.wire(1);
    ASSERT_TRUE(wire->send({1, false, bytes, {}}));
    EXPECT_EQ(peer->poll(10, [](auto) {}), 1U);
  }
}

TEST(ShmWire, SleepsUntilADatagramOrAnInterrupt) {
  const Node node;
  const auto wire = node.wire(0);
  wire->interrupt();
  wire->wait(1h);
  std::atomic<bool> woken = false;
  const std::jthread peer([&] {
    const auto own = node.wire(1);
    const std::vector<std::byte> bytes(100);
    while (own->statistics().wakes == 0) (void)own->send({0, true, bytes, {}});
    woken = true;
  });
  while (!woken) {
    while (wire->poll(1'000, [](auto) {}) == 0 && !woken) wire->wait(100ms);
  }
}

TEST(ShmWire, SaysWhichOptionIsWrong) {
  const Node node;
  ShmOptions options = node.options(0);
  options.cells = 100;
  EXPECT_EQ(ShmWire::make(options).error().message, "cells is 100; it must be a power of two from 16 to 1048576");
  options = node.options(0);
  options.datagram_bytes = 1'000;
  EXPECT_EQ(ShmWire::make(options).error().message,
            "buffer_bytes is 1000; it must be a multiple of 64 from 256 to 1048576");
}

}  // namespace
}  // namespace ayatori::wires
