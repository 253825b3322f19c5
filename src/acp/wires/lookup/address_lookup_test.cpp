#include "ayatori/lookup/address_lookup.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/random.hpp"
#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/clock_fixtures.hpp"
#include "lookup_message.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

Card random_card(Random& random) {
  Card card{
      static_cast<std::uint16_t>(1 + random.below(65'535)), static_cast<std::uint16_t>(random.below(65'536)), {}, {}};
  for (std::uint64_t i = 1 + random.below(max_host_addresses); i > 0; --i) {
    HostAddress& address = card.addresses.emplace_back();
    for (std::uint8_t& byte : address.ip.bytes) byte = static_cast<std::uint8_t>(random());
    address.prefix = static_cast<std::uint8_t>(random.below(129));
  }
  card.adapter.resize(random.below(max_adapter_bytes + 1));
  for (std::byte& byte : card.adapter) byte = static_cast<std::byte>(random());
  return card;
}

TEST(Card, IsReadAsItWasWrittenAndNoOtherBytesAre) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Card card = random_card(random);
    const auto bytes = written(card);
    EXPECT_LE(bytes.size(), max_card_bytes);
    EXPECT_EQ(read_card(bytes), card);
    const LookupMessage sent{random.below(2) == 0, 3, static_cast<Rank>(random()), static_cast<Rank>(random()), card};
    const auto got = read_lookup_message(written(sent));
    ASSERT_TRUE(got);
    EXPECT_EQ(std::tie(got->question, got->steps, got->from, got->wanted, got->card),
              std::tie(sent.question, sent.steps, sent.from, sent.wanted, sent.card));
    const std::size_t least = 5 + 17 * card.addresses.size();
    for (std::size_t size = 0; size < least; ++size) EXPECT_FALSE(read_card(std::span(bytes).first(size)));
  }
  EXPECT_FALSE(read_card(written(Card{1, 1, {}, {}}))) << "no address";
  EXPECT_FALSE(read_card(written(Card{0, 1, {loopback()}, {}}))) << "no port";
  EXPECT_FALSE(read_card(written(Card{1, 1, {loopback()}, AdapterAddress(max_adapter_bytes + 1)})));
  EXPECT_FALSE(read_card(written(Card{1, 1, std::vector<HostAddress>(max_host_addresses + 1), {}})));
}

HostAddress network(const char* ip, std::uint8_t prefix) { return {*parse_ip_address(ip), prefix}; }

TEST(Reachable, PrefersANetworkThatBothHostsAreOn) {
  const std::vector<HostAddress> own{network("172.17.0.1", 96 + 16), network("10.0.0.1", 96 + 24),
                                     network("fd00::1", 64)};
  const auto reached = [&](std::vector<HostAddress> addresses) {
    return text_of(*reachable(own, {1, 1, std::move(addresses), {}}));
  };
  const HostAddress bridge = network("172.17.0.1", 96 + 16);
  EXPECT_EQ(reached({bridge, network("192.168.3.4", 120), network("10.0.0.9", 120)}), "10.0.0.9");
  EXPECT_EQ(reached({bridge, network("fd00::9", 64)}), "fd00::9");
  EXPECT_EQ(reached({bridge, network("192.168.3.4", 120)}), "192.168.3.4") << "by a router";
  EXPECT_EQ(reached(own), "172.17.0.1") << "on this host";
}

TEST(FingersOf, HalveTheDistance) {
  EXPECT_EQ(fingers_of(0, 1), std::vector<Rank>{});
  EXPECT_EQ(fingers_of(5, 7), (std::vector<Rank>{6, 0, 2}));
  EXPECT_EQ(fingers_of(0, 1'000'000).size(), 20U);
}

/// Processes on the loopback, in one thread.
struct Ring : testing::Test {
  static constexpr DerivedKey key{std::byte{1}};

  Rank procs = 1;
  SetClock clock;
  std::vector<std::unique_ptr<AddressLookup>> all;

  void start(Rank count, std::uint32_t kept = 8) {
    procs = count;
    std::vector<UdpSocket> sockets;
    std::vector<Card> cards;
    const IpAddress own[] = {loopback().ip};
    for (Rank rank = 0; rank < procs; ++rank) {
      sockets.push_back(need(open_udp_socket(own)));
      cards.push_back({sockets.back().port, static_cast<std::uint16_t>(1 + rank), {loopback()}, {}});
    }
    for (Rank rank = 0; rank < procs; ++rank) {
      LookupOptions options;
      options.seal = {.key = key, .self = rank, .procs = procs};
      options.own = cards[rank];
      options.kept = kept;
      for (const Rank finger : fingers_of(rank, procs)) options.fingers.push_back({finger, cards[finger]});
      all.push_back(std::make_unique<AddressLookup>(std::move(options), std::move(sockets[rank]), clock));
    }
  }
  void serve_all() {
    for (int i = 0; i < 40; ++i) {
      for (const auto& one : all) {
        if (one) one->serve();
      }
    }
  }
  /// What a rank finds out of another.
  std::optional<SocketAddress> found(Rank from, Rank wanted) {
    for (int i = 0; i < 100; ++i) {
      if (const auto address = all[from]->find_udp(wanted)) return address;
      serve_all();
      clock.time += 100ms;
    }
    return std::nullopt;
  }
};

TEST_F(Ring, EveryRankFindsEveryOther) {
  start(23, 30);
  for (Rank from = 0; from < procs; ++from) {
    for (Rank wanted = 0; wanted < procs; ++wanted) {
      if (from != wanted)
        EXPECT_EQ(found(from, wanted), (SocketAddress{loopback().ip, static_cast<std::uint16_t>(1 + wanted)}));
    }
  }
}

TEST_F(Ring, RankThatWasAskedKnowsWhoHasAsked) {
  start(4);
  ASSERT_TRUE(found(0, 3));
  EXPECT_TRUE(all[3]->admits({loopback().ip, 1}, 0));
  EXPECT_FALSE(all[3]->admits({loopback().ip, 2}, 0)) << "another port";
  EXPECT_FALSE(all[3]->admits({IpAddress(127U << 24 | 2), 1}, 0)) << "another address";
  EXPECT_TRUE(all[3]->admits({loopback().ip, 9}, 2)) << "not known yet";
  EXPECT_FALSE(all[3]->admits({loopback().ip, 9}, 4)) << "no such rank";
}

TEST_F(Ring, FindsItsWayAroundProcessesThatHaveEnded) {
  start(16);
  all[8].reset();  // the finger of rank 0 that is nearest before 11
  EXPECT_TRUE(found(0, 11));
  EXPECT_FALSE(found(0, 8));
}

TEST_F(Ring, KeepsAsManyCardsAsItMayAndAsksAgain) {
  start(8, 1);
  for (int round = 0; round < 3; ++round) {
    for (Rank wanted = 1; wanted < procs; ++wanted) EXPECT_TRUE(found(0, wanted));
  }
}

TEST_F(Ring, LauncherThatStaysIsAskedInsteadOfPeers) {
  start(2);
  LookupOptions options = all[0]->options();
  const std::uint16_t port = all[1]->options().own.lookup_port;
  options.fingers.clear();
  options.launcher = [port](Rank rank) {
    return rank == 1 ? std::optional(Card{port, 0, {loopback()}, {}}) : std::nullopt;
  };
  const IpAddress own[] = {loopback().ip};
  UdpSocket socket = need(open_udp_socket(own));
  options.own.lookup_port = socket.port;
  all[0] = std::make_unique<AddressLookup>(std::move(options), std::move(socket), clock);
  EXPECT_EQ(found(0, 1), (SocketAddress{loopback().ip, 2}));
}

TEST_F(Ring, WhatStrangersSendIsIgnoredAndSoIsWhatWasSentBefore) {
  start(3);
  const UdpSocket stranger = need(open_udp_socket(std::vector{loopback().ip}));
  const KernelAddress to = kernel_address({loopback().ip, all[0]->options().own.lookup_port}, AF_INET);
  const Card lie{9, 9, {loopback()}, {}};
  const auto send = [&](Seal seal, const LookupMessage& message) {
    const auto bytes = written(message);
    const SealHeader header = seal.close(bytes);
    std::vector<std::byte> all_bytes(header.begin(), header.end());
    all_bytes.insert(all_bytes.end(), bytes.begin(), bytes.end());
    ASSERT_GT(sendto(stranger.descriptor.number(), all_bytes.data(), all_bytes.size(), 0, to.get(), to.size), 0);
    all[0]->serve();
  };
  send(Seal({}, 1, 1'000), {false, 0, 1, 1, lie});
  EXPECT_TRUE(all[0]->admits({loopback().ip, 1'234}, 1)) << "nothing is known of rank 1";
  send(Seal(key, 7, 1'000), {false, 0, 7, 7, lie});
  EXPECT_FALSE(all[0]->admits({loopback().ip, 9}, 7)) << "no rank of the job";
  send(Seal(key, 1, 1'000), {false, 0, 1, 1, lie});
  EXPECT_TRUE(all[0]->admits({loopback().ip, 9}, 1)) << "with the key it is believed";
  send(Seal(key, 1, 1'000), {false, 0, 1, 1, {8, 8, {loopback()}, {}}});
  EXPECT_FALSE(all[0]->admits({loopback().ip, 8}, 1)) << "not with a number that was used";
}

TEST_F(Ring, QuestionsAreRepeatedMoreAndMoreRarely) {
  start(2);
  all[1].reset();
  const std::uint16_t port = all[0]->options().fingers[0].card.lookup_port;
  const IpAddress own[] = {loopback().ip};
  const UdpSocket silent = need(open_udp_socket(own, port));
  int questions = 0;
  for (int i = 0; i < 1'000; ++i, clock.time += 1ms) {
    EXPECT_FALSE(all[0]->find(1));
    char byte = 0;
    while (recv(silent.descriptor.number(), &byte, 1, 0) >= 0) ++questions;
  }
  EXPECT_GT(questions, 10);
  EXPECT_LT(questions, 30);
}

}  // namespace
}  // namespace ayatori::wires
