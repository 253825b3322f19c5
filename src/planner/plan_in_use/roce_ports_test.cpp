#include "ayatori/plan_in_use/roce_ports.hpp"

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

TEST(RocePorts, KnowAddressesOfIpv6ByTheirGids) {
  const IpAddress a = parse_ip_address("fd00::1").value();
  const IpAddress b = parse_ip_address("fd00::2").value();
  const RocePorts ports({"crc32", "", {{"a", a}, {"b", b}}, {0, 50000, 60000, 0}});
  EXPECT_EQ(ports.source_port(a.bytes, b.bytes), 50000);
  EXPECT_EQ(ports.source_port(b.bytes, a.bytes), 60000);
  EXPECT_EQ(ports.source_port(a.bytes, mapped(2)), std::nullopt);
}

}  // namespace
}  // namespace ayatori
