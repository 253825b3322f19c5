// Connections of those who are of no process of the job.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "socket_links.hpp"
#include "socket_network_fixtures.hpp"

namespace ayatori {
namespace {

/// A connection of somebody to the first process's sockets.
Descriptor connected_to(ProcessSockets& sockets) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(sockets.port());
  EXPECT_EQ(connect(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return made;
}

/// Whether a process closes it, within so many checks.
bool is_closed(const Descriptor& connection, SocketCarrier& carrier, int checks) {
  std::array<RequestId, 1> some;
  for (int check = 0; check < checks; ++check) {
    EXPECT_TRUE(carrier.test_some(some));
    char byte = 0;
    if (recv(connection.number(), &byte, 1, MSG_DONTWAIT) == 0) return true;
    if (errno == ECONNRESET) return true;
  }
  return false;
}

SocketGreeting greeting_of(std::uint64_t process, std::uint64_t serial, Rank to, const JobSecret& secret = the_secret) {
  SocketGreeting greeting{.process = process, .serial = serial, .proof = {}};
  greeting.proof = proof_of_greeting(derived_key(secret, "greetings of processes"), greeting, to);
  return greeting;
}

TEST(SocketCarrier, ConnectionsThatDoNotProveTheSecretAreClosed) {
  SocketNetwork network(2);
  network.begin_execution(1);
  auto changed = greeting_of(0, 7, 1);
  changed.serial = 8;
  const JobSecret other = next_secret(the_secret);
  for (const SocketGreeting& greeting :
       {greeting_of(0, 7, 1, other), greeting_of(0, 7, 0), greeting_of(2, 7, 1), changed}) {
    const Descriptor stranger = connected_to(*network.sockets(1));
    ASSERT_EQ(send(stranger.number(), &greeting, sizeof greeting, 0), static_cast<ssize_t>(sizeof greeting));
    EXPECT_TRUE(is_closed(stranger, network.carrier(1), 1'000'000));
  }
}

TEST(SocketCarrier, AGreetingIsOfUseOnce) {
  SocketNetwork network(2);
  network.begin_execution(1);
  const SocketGreeting greeting = greeting_of(0, 7, 1);
  const Descriptor first = connected_to(*network.sockets(1));
  ASSERT_EQ(send(first.number(), &greeting, sizeof greeting, 0), static_cast<ssize_t>(sizeof greeting));
  EXPECT_FALSE(is_closed(first, network.carrier(1), 1'000));
  const Descriptor replay = connected_to(*network.sockets(1));
  ASSERT_EQ(send(replay.number(), &greeting, sizeof greeting, 0), static_cast<ssize_t>(sizeof greeting));
  EXPECT_TRUE(is_closed(replay, network.carrier(1), 1'000'000));
}

TEST(SocketCarrier, ConnectionsThatDoNotGreetMakeRoomForOthers) {
  SocketNetwork network(2);
  network.begin_execution(1);
  std::vector<Descriptor> silent;
  for (int i = 0; i < 260; ++i) silent.push_back(connected_to(*network.sockets(1)));
  EXPECT_TRUE(is_closed(silent.front(), network.carrier(1), 1'000'000)) << "the one that has waited longest";
  EXPECT_FALSE(is_closed(silent.back(), network.carrier(1), 100));
  EXPECT_TRUE(is_closed(silent.back(), network.carrier(1), 2'000'000'000)) << "in the end all are closed";
}

TEST(SocketCarrier, LackOfDescriptorsIsSurvived) {
  SocketNetwork network(2);
  network.begin_execution(1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const Descriptor stranger = connected_to(*network.sockets(1));
  Post sent(1, 0, numbered(70));
  Post got(0, 0, std::vector<std::byte>(70));
  ASSERT_TRUE(network.carrier(1).post_receive(4, got.message));
  ASSERT_TRUE(network.carrier(0).post_send(2, sent.message));
  const rlimit none{static_cast<rlim_t>(stranger.number()), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::array<RequestId, 8> some;
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(network.carrier(1).test_some(some), 0U);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  std::size_t received_count = 0;
  while (received_count == 0) {
    ASSERT_TRUE(network.carrier(0).test_some(some));
    const auto count = network.carrier(1).test_some(some);
    ASSERT_TRUE(count);
    received_count = *count;
  }
  EXPECT_EQ(got.bytes, sent.bytes);
}

TEST(ProcessSockets, ListenAtTheAddressesOfTheJobAlone) {
  SocketNetwork network(1, 2);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(network.sockets(0)->port());
  for (const std::uint32_t host : {1U, 2U, 3U}) {
    const Descriptor tried(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address.sin_addr.s_addr = htonl((127U << 24) + host);
    const int code = connect(tried.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    EXPECT_EQ(code == 0, host <= 2) << host;
  }
}

}  // namespace
}  // namespace ayatori
