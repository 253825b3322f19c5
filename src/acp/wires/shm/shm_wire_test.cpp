#include "ayatori/shm/shm_wire.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/clock_fixtures.hpp"
#include "ayatori/fixtures/folder_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/fixtures/stopped_receiver_fixtures.hpp"
#include "peer_rings.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

struct Machine {
  Folder folder;
  JobKey key = 0x5eed;

  [[nodiscard]] ShmOptions options(Rank self) const { return {.self = self, .key = key, .folder = folder.path()}; }
  [[nodiscard]] std::unique_ptr<ShmWire> wire(Rank self) const { return need(ShmWire::make(options(self))); }
};

TEST(ShmWire, ExchangeBetweenThreadsDeliversEveryMessage) {
  const Machine machine;
  in_threads(4, [&](Rank rank) {
    const auto wire = machine.wire(rank);
    TestProcess(*wire, {rank, machine.key, rank, 0}, {}).exchange(4, 150, 60'000);
  });
  EXPECT_TRUE(std::filesystem::is_empty(machine.folder.path()));
}

TEST(ShmWire, ExchangeOverTinyRingsAndFewMappingsDeliversEveryMessage) {
  const Machine machine;
  in_processes(6, [&](Rank rank) {
    ShmOptions options = machine.options(rank);
    options.cells = 16;
    options.buffers = 2;
    options.datagram_bytes = 512;
    options.mappings = 2;
    const auto wire = need(ShmWire::make(options));
    TestProcess(*wire, {rank, machine.key, rank, 0}, with_receive_buffers(8)).exchange(6, 60, 10'000);
  });
  EXPECT_TRUE(std::filesystem::is_empty(machine.folder.path()));
}

TEST(ShmWire, EveryMessageReachesAReceiverThatWasStopped) {
  const Machine machine;
  stop_and_continue_a_receiver([&](Rank rank) { return machine.wire(rank); }, machine.key);
}

/// Rank 1 takes what comes until it is killed.
Child taker(const Machine& machine) {
  return Child([&machine] {
    const auto wire = machine.wire(1);
    TestProcess process(*wire, {1, machine.key, 1, 0}, {});
    process.run([] { return false; });
  });
}

TEST(ShmWire, KilledPeerIsReportedAsLostAndItsRankCanBeTaken) {
  const Machine machine;
  Child receiver = taker(machine);
  const auto wire = machine.wire(0);
  TestProcess process(*wire, {0, machine.key, 0, 0}, giving_up_after(100ms));
  process.send(1, 0, 1'000);
  process.run([&] { return process.idle(); });
  receiver.signal(SIGKILL);
  EXPECT_EQ(receiver.wait(), -SIGKILL);
  process.send(1, 1, 1'000);   // its ring takes this: the sender finds out only by itself that nobody reads it there
  process.send(1, 2, 60'000);  // this has to be acknowledged
  process.run([&] { return !process.lost_peers.empty(); });
  EXPECT_EQ(process.lost_peers, std::vector<PeerId>{1});
  EXPECT_TRUE(process.idle());
  EXPECT_EQ(process.endpoint().outgoing_contexts(), 0U);
  const auto successor = machine.wire(1);
  EXPECT_FALSE(ShmWire::make(machine.options(1))) << "now it lives";
}

TEST(ShmWire, KilledPeerIsReportedAsLostEvenIfItsRingTookEveryMessage) {
  const Machine machine;
  Child receiver = taker(machine);
  const auto wire = machine.wire(0);
  TestProcess process(*wire, {0, machine.key, 0, 0}, giving_up_after(100ms));
  process.send(1, 0, 100);
  process.run([&] { return process.idle(); });
  receiver.signal(SIGKILL);
  EXPECT_EQ(receiver.wait(), -SIGKILL);
  process.send(1, 1, 100);
  process.run([&] { return process.idle(); });
  process.run([&] { return !process.lost_peers.empty(); });
  EXPECT_EQ(process.endpoint().outgoing_contexts(), 0U);
}

/// They are killed at any moment.
TEST(ShmWire, DatagramsArriveAfterOtherSendersWereKilled) {
  const Machine machine;
  const auto wire = machine.wire(0);
  std::vector<std::byte> bytes(8'000);
  for (int round = 0; round < 20; ++round) {
    Child sender([&] {
      const auto own = machine.wire(1);
      while (true) (void)own->send({0, false, std::span(bytes).first(40), std::span(bytes).subspan(40)});
    });
    std::size_t got = 0;
    while (got < 100) got += wire->poll(64, [](auto) {});
    sender.signal(SIGKILL);
    sender.wait();
  }
  const auto other = machine.wire(2);
  bool arrived = false;
  while (!arrived) {
    (void)other->send({0, false, std::span(bytes).first(99), {}});
    wire->poll(64, [&](std::span<const std::byte> datagram) { arrived = arrived || datagram.size() == 99; });
  }
}

TEST(ShmWire, CellOfASenderThatHangsIsSkippedAfterTenMilliseconds) {
  const Machine machine;
  SetClock clock;
  const auto wire = need(ShmWire::make(machine.options(0), clock));
  const SharedMemory file = need(open_shared_memory(RingNames{machine.folder.path(), machine.key}.of(0)));
  Ring hanging = need(Ring::open(file.bytes(), machine.key, 0));
  ASSERT_TRUE(hanging.begin(100, false));
  const auto other = machine.wire(1);
  const std::vector<std::byte> bytes(100);
  ASSERT_TRUE(other->send({0, false, bytes, {}}));
  const auto poll_often = [&] {
    std::size_t received = 0;
    for (int i = 0; i < 3'000; ++i) received += wire->poll(10, [](auto) {});
    return received;
  };
  EXPECT_EQ(poll_often(), 0U);
  clock.time += 9ms;
  EXPECT_EQ(poll_often(), 0U);
  clock.time += 1ms;
  EXPECT_EQ(poll_often(), 1U);
  EXPECT_EQ(wire->statistics().unfinished, 1U);
}

TEST(ShmWire, PeerFileThatIsNotARingIsReported) {
  const Machine machine;
  const auto wire = machine.wire(0);
  const std::vector<std::byte> bytes(100);
  ASSERT_TRUE(wire->send({1, false, bytes, {}}));
  EXPECT_EQ(wire->statistics().absent, 1U);
  EXPECT_FALSE(wire->problem()) << "a peer that is not there yet is not a problem";
  const auto path = machine.folder.path() / "ring-1";
  std::ofstream(path) << std::string(10'000, 'x');
  ASSERT_TRUE(wire->send({1, false, bytes, {}}));
  ASSERT_TRUE(wire->problem());
  EXPECT_EQ(wire->problem()->message, path.native() + " can't be used");
  EXPECT_EQ(wire->problem()->cause, "it is not a ring of this version");
}

TEST(ShmWire, SendReachesAPeerThatWasRestarted) {
  const Machine machine;
  const auto wire = machine.wire(0);
  const std::vector<std::byte> bytes(100);
  for (int life = 0; life < 3; ++life) {
    const auto peer = machine.wire(1);
    ASSERT_TRUE(wire->send({1, false, bytes, {}}));
    EXPECT_EQ(peer->poll(10, [](auto) {}), 1U);
  }
}

TEST(ShmWire, WaitEndsWithADatagram) {
  const Machine machine;
  const auto wire = machine.wire(0);
  std::atomic<bool> woken = false;
  const std::jthread peer([&] {
    const auto own = machine.wire(1);
    const std::vector<std::byte> bytes(100);
    while (own->statistics().wakes == 0) (void)own->send({0, true, bytes, {}});
    woken = true;
  });
  while (!woken) {
    while (wire->poll(1'000, [](auto) {}) == 0 && !woken) wire->wait(100ms);
  }
}

TEST(ShmWire, MakeNamesTheOptionThatIsOutOfRange) {
  const Machine machine;
  ShmOptions options = machine.options(0);
  options.cells = 100;
  EXPECT_EQ(ShmWire::make(options).error().message, "cells is 100; it must be a power of two from 16 to 1048576");
  options = machine.options(0);
  options.datagram_bytes = 1'000;
  EXPECT_EQ(ShmWire::make(options).error().message,
            "buffer_bytes is 1000; it must be a multiple of 64 from 256 to 1048576");
}

}  // namespace
}  // namespace ayatori::wires
