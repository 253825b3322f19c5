#include "ayatori/lookup/address_lookup.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ayatori/base/random.hpp"
#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/lookup/address_messages.hpp"

namespace ayatori::wires {
namespace {

AdapterAddress bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(ReadAddressMessage, GivesWhatWasWritten) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    AdapterAddress address(1 + random.below(max_address_bytes));
    for (std::byte& one : address) one = static_cast<std::byte>(random());
    const AddressMessage sent{random.below(2) == 0, random(), static_cast<Rank>(random()), address};
    const auto bytes = written(sent);
    const auto got = read_address_message(bytes);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->question, sent.question);
    EXPECT_EQ(got->key, sent.key);
    EXPECT_EQ(got->from, sent.from);
    EXPECT_TRUE(std::ranges::equal(got->address, address));
    EXPECT_FALSE(read_address_message(std::span(bytes).first(address_header_bytes))) << "no address";
  }
}

TEST(ReadAddressMessage, RefusesWhatIsNone) {
  auto bytes = written({.question = true, .key = 7, .from = 1, .address = bytes_of("x")});
  ASSERT_TRUE(read_address_message(bytes));
  bytes[4] = std::byte{2};
  EXPECT_FALSE(read_address_message(bytes)) << "neither question nor answer";
  bytes[4] = std::byte{0};
  bytes[0] = std::byte{'A'};
  EXPECT_FALSE(read_address_message(bytes));
  EXPECT_FALSE(read_address_message({}));
  const AdapterAddress large(max_address_bytes + 1);
  EXPECT_FALSE(read_address_message(written({.address = large})));
}

struct Ranks : testing::Test {
  /// Addresses that other tests on this machine do not have.
  std::uint32_t host = 127U << 24 | (static_cast<std::uint32_t>(getpid()) & 0x3F'FFFF) << 2 | 1U;

  std::unique_ptr<AddressLookup> lookup(Rank self, transport::JobKey key = 77, std::uint32_t kept = 8) const {
    return need(AddressLookup::make(
        {.addresses = {.first_host = host, .ranks_per_host = 8}, .self = self, .procs = 4, .key = key, .kept = kept}));
  }
  static bool something_to_do(const AddressLookup& lookup) {
    pollfd polled{lookup.descriptor(), POLLIN, 0};
    return ::poll(&polled, 1, 5'000) == 1;
  }
};

TEST_F(Ranks, FindAsksThePeerAndBothKnowEachOtherThen) {
  const auto first = lookup(0);
  const auto second = lookup(1);
  first->set_own(bytes_of("address of 0"));
  second->set_own(bytes_of("address of 1"));
  EXPECT_FALSE(first->find(1));
  ASSERT_TRUE(something_to_do(*second));
  EXPECT_EQ(second->find(0), bytes_of("address of 0")) << "from the question";
  ASSERT_TRUE(something_to_do(*first));
  EXPECT_EQ(first->find(1), bytes_of("address of 1"));
}

TEST_F(Ranks, PeerThatStartsLaterIsFound) {
  const auto first = lookup(0);
  first->set_own(bytes_of("a"));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(first->find(2));
  const auto late = lookup(2);
  late->set_own(bytes_of("b"));
  EXPECT_FALSE(first->find(2));
  ASSERT_TRUE(something_to_do(*late));
  late->serve();
  ASSERT_TRUE(something_to_do(*first));
  EXPECT_EQ(first->find(2), bytes_of("b"));
}

TEST_F(Ranks, AddressesThatWereForgottenAreAskedForAgain) {
  const auto first = lookup(0, 77, 1);
  first->set_own(bytes_of("a"));
  std::vector<std::unique_ptr<AddressLookup>> peers;
  for (Rank rank = 1; rank < 4; ++rank) {
    peers.push_back(lookup(rank));
    peers.back()->set_own(bytes_of(std::string(rank, 'p')));
  }
  for (int round = 0; round < 3; ++round) {
    for (Rank rank = 1; rank < 4; ++rank) {
      EXPECT_FALSE(first->find(rank));
      ASSERT_TRUE(something_to_do(*peers[rank - 1]));
      peers[rank - 1]->serve();
      ASSERT_TRUE(something_to_do(*first));
      EXPECT_EQ(first->find(rank), bytes_of(std::string(rank, 'p')));
    }
  }
}

TEST_F(Ranks, WhatComesFromAnotherJobOrAnotherAddressIsIgnored) {
  const auto first = lookup(0);
  first->set_own(bytes_of("a"));
  const auto other_job = lookup(1, 78);
  other_job->set_own(bytes_of("b"));
  EXPECT_FALSE(other_job->find(0));
  ASSERT_TRUE(something_to_do(*first));
  EXPECT_FALSE(first->find(1));

  const Descriptor stranger(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = UdpAddresses{.first_host = host, .ranks_per_host = 8}.of(0);
  const auto lie = written({.question = false, .key = 77, .from = 2, .address = bytes_of("lie")});
  ASSERT_EQ(sendto(stranger.number(), lie.data(), lie.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
            static_cast<ssize_t>(lie.size()));
  ASSERT_TRUE(something_to_do(*first));
  EXPECT_FALSE(first->find(2));
}

TEST_F(Ranks, AddressThatIsInUseIsAnError) {
  const auto first = lookup(0);
  const auto second = AddressLookup::make({.addresses = {.first_host = host, .ranks_per_host = 8}, .procs = 2});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, EADDRINUSE);
}

}  // namespace
}  // namespace ayatori::wires
