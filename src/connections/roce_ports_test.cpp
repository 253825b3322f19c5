#include "ayatori/connections/roce_ports.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

GidBytes mapped(std::uint8_t last) { return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last}; }

TEST(RocePorts, ArePlannedForPairsOfAddresses) {
  const RocePorts ports({"crc32", "", {{"a", 0x0A000001}, {"b", 0x0A000002}}, {0, 50000, 60000, 0}});
  EXPECT_EQ(ports.source_port(mapped(1), mapped(2)), 50000);
  EXPECT_EQ(ports.source_port(mapped(2), mapped(1)), 60000);
  EXPECT_EQ(ports.source_port(mapped(1), mapped(1)), std::nullopt);
  EXPECT_EQ(ports.source_port(mapped(1), mapped(3)), std::nullopt);
  EXPECT_EQ(ports.source_port(mapped(3), mapped(1)), std::nullopt);
  GidBytes link_local = mapped(2);
  link_local[0] = 0xFE;
  EXPECT_EQ(ports.source_port(mapped(1), link_local), std::nullopt);
}

TEST(Ipv4Of, TakesMappedAddressesAlone) {
  EXPECT_EQ(ipv4_of(mapped(7)), 0x0A000007U);
  EXPECT_EQ(ipv4_of({}), std::nullopt);
}

}  // namespace
}  // namespace ayatori
