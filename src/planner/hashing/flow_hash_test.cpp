#include "ayatori/hashing/flow_hash.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <string>
#include <utility>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

/// The 32-bit words of an address: one, or four.
std::vector<std::uint32_t> words_of(const IpAddress& address) {
  std::vector<std::uint32_t> words;
  for (std::size_t i = address.is_ipv4() ? 12 : 0; i < 16; i += 4) {
    words.push_back(static_cast<std::uint32_t>(address.bytes[i] << 24 | address.bytes[i + 1] << 16 |
                                               address.bytes[i + 2] << 8 | address.bytes[i + 3]));
  }
  return words;
}

/// A CRC bit by bit, as its definition says, over a seed and a five-tuple.
std::uint64_t crc_by_bits(const RoceFlow& flow, std::uint32_t seed, int width, std::uint64_t polynomial) {
  std::vector<std::pair<std::uint32_t, int>> words{{seed, 32}};
  for (const IpAddress& address : {flow.source, flow.destination}) {
    for (const std::uint32_t word : words_of(address)) words.emplace_back(word, 32);
  }
  words.insert(words.end(), {{17, 8}, {flow.source_port, 16}, {4791, 16}});
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  std::uint64_t value = top | (top - 1);
  for (const auto& [word, bits] : words) {
    for (int byte = bits / 8 - 1; byte >= 0; --byte) {
      for (int i = 0; i < 8; ++i) {
        // CRC-32 takes the bits of a byte from the least significant on.
        const int bit = 8 * byte + (width == 32 ? i : 7 - i);
        const bool flips = ((value & top) != 0) != ((word >> bit & 1U) != 0);
        value = (value << 1U ^ (flips ? polynomial : 0)) & (top | (top - 1));
      }
    }
  }
  return value;
}

std::uint32_t reversed(std::uint64_t value) {
  std::uint32_t result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= static_cast<std::uint32_t>(value >> bit & 1U) << (31 - bit);
  return result;
}

IpAddress random_address(Random& random, bool ipv6) {
  IpAddress address(static_cast<std::uint32_t>(random()));
  if (!ipv6) return address;
  for (std::uint8_t& byte : address.bytes) byte = static_cast<std::uint8_t>(random());
  return address;
}

RoceFlow random_flow(Random& random, bool ipv6 = false) {
  return {random_address(random, ipv6), random_address(random, ipv6),
          static_cast<std::uint16_t>(first_source_port + random.below(source_port_count))};
}

TEST(FlowHashes, AreTheirDefinitionsBitByBit) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const RoceFlow flow = random_flow(random, i % 2 == 1);
    const auto seed = static_cast<std::uint32_t>(random.below(1ULL << 32));
    EXPECT_EQ(crc16_hash(flow, seed), crc_by_bits(flow, seed, 16, 0x1021));
    EXPECT_EQ(crc32_hash(flow, seed), ~reversed(crc_by_bits(flow, seed, 32, 0x04C11DB7)));
    std::uint32_t words = 17 ^ 4791 ^ flow.source_port;
    words ^= (seed ^ seed >> 16U) & 0xFFFFU;
    for (const IpAddress& address : {flow.source, flow.destination}) {
      for (const std::uint32_t word : words_of(address)) words ^= (word ^ word >> 16U) & 0xFFFFU;
    }
    EXPECT_EQ(xor_hash(flow, seed), words);
  }
}

TEST(SourcePortOf, IsWhatLinuxMakesOfAFlowLabel) {
  EXPECT_EQ(source_port_of(0), 0xC000);
  EXPECT_EQ(source_port_of(0x12345), 0xC000 | (0x2345 ^ 0x4));
  EXPECT_EQ(source_port_of(0xFFFFF), 0xC000 | (0x3FFF ^ 0x3F));
}

TEST(FlowLabelOf, GivesEveryPortALabelThatIsNotZero) {
  for (std::uint32_t port = first_source_port; port < first_source_port + source_port_count; ++port) {
    const std::uint32_t label = flow_label_of(static_cast<std::uint16_t>(port));
    ASSERT_NE(label, 0);
    ASSERT_LT(label, 1U << 20U);
    ASSERT_EQ(source_port_of(label), port);
  }
}

TEST(CableChoiceOf, RefusesWhatIsNoHash) {
  EXPECT_EQ(cable_choice_of("md5").error().message, "no hash 'md5'");
  EXPECT_NE(cable_choice_of("library:/nowhere.so").error().message.find("can't be loaded"), std::string::npos);
  const auto crc = cable_choice_of("crc32");
  ASSERT_TRUE(crc);
  Random random(2);
  const RoceFlow flow = random_flow(random);
  EXPECT_EQ((*crc)(flow, "leaf", 7, 5), crc32_hash(flow, 7) % 5);
}

}  // namespace
}  // namespace ayatori
