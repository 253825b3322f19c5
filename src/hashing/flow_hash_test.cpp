#include "ayatori/hashing/flow_hash.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <string>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

/// A CRC bit by bit, as its definition says, over the 17 bytes of a seed and a five-tuple.
std::uint64_t crc_by_bits(const RoceFlow& flow, std::uint32_t seed, int width, std::uint64_t polynomial) {
  const std::uint32_t words[][2] = {{seed, 32}, {flow.source, 32},      {flow.destination, 32},
                                    {17, 8},    {flow.source_port, 16}, {4791, 16}};
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  std::uint64_t value = top | (top - 1);
  for (const auto& [word, bits] : words) {
    for (int byte = static_cast<int>(bits) / 8 - 1; byte >= 0; --byte) {
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

RoceFlow random_flow(Random& random) {
  return {static_cast<std::uint32_t>(random.below(1ULL << 32)), static_cast<std::uint32_t>(random.below(1ULL << 32)),
          static_cast<std::uint16_t>(first_source_port + random.below(source_port_count))};
}

TEST(FlowHashes, AreTheirDefinitionsBitByBit) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const RoceFlow flow = random_flow(random);
    const auto seed = static_cast<std::uint32_t>(random.below(1ULL << 32));
    EXPECT_EQ(crc16_hash(flow, seed), crc_by_bits(flow, seed, 16, 0x1021));
    EXPECT_EQ(crc32_hash(flow, seed), ~reversed(crc_by_bits(flow, seed, 32, 0x04C11DB7)));
    std::uint32_t words = 17 ^ 4791 ^ flow.source_port;
    for (const std::uint32_t word : {seed, flow.source, flow.destination}) words ^= (word ^ word >> 16U) & 0xFFFFU;
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
