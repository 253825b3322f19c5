#include "host_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ayatori {
namespace {

std::string host_of(std::string_view description) { return std::string(parse_host(description).host); }

TEST(ParseHost, ReadsHostAndDevice) {
  for (const std::string_view description :
       {"a08-p1-dgx-04-c01 mlx5_5", "a08-p1-dgx-04-c01 HCA-6", "  a08-p1-dgx-04-c01   mlx5_5  ",
        "'a08-p1-dgx-04-c01' (mlx5_5)", "a08-p1-dgx-04-c01 mlx5_5 port 1"}) {
    const auto found = parse_host(description);
    EXPECT_EQ(found.host, "a08-p1-dgx-04-c01") << description;
    EXPECT_EQ(found.device, (DeviceName{5, "mlx5"})) << description;
  }
  EXPECT_EQ(parse_host("host mlx4_0").device, (DeviceName{0, "mlx4"}));
  EXPECT_EQ(parse_host("'host' (qib0)").device, (DeviceName{0, "qib"}));
  EXPECT_EQ(parse_host("n1 hfi1_1").device, (DeviceName{1, "hfi1"}));
  EXPECT_EQ(parse_host("n1 bnxt_re2").device, (DeviceName{2, "bnxt_re"}));
  EXPECT_EQ(parse_host("n1 ibp65s0f0").device, (DeviceName{std::nullopt, "ibp65s0f0"}));
}

TEST(ParseHost, ASingleWordIsAHost) {
  EXPECT_EQ(host_of("H0"), "H0");
  EXPECT_EQ(host_of("hca1"), "hca1");
  EXPECT_FALSE(parse_host("H0").device);
}

TEST(ParseHost, ModelsAndPlaceholdersAreNotHosts) {
  for (const std::string_view description :
       {"", "   ", "MT4129 ConnectX7   Mellanox Technologies", "MT25408 ConnectX Mellanox Technologies",
        "VoltaireHca x", "localhost HCA-6", "localhost.localdomain mlx5_0", "(none) mlx5_0", "ubuntu mlx5_1", "mlx5_0",
        "HCA-1", "HCA-0 HCA-1", "H-0002c90300a1b2c3", "MT4129 HCA-1", "host HCA-0", "host mlx5_99999999999", "''"}) {
    EXPECT_EQ(host_of(description), description == "HCA-0 HCA-1" ? "HCA-0" : "") << description;
  }
}

TEST(DescribesAggregationNode, RecognisesSharpDescriptions) {
  EXPECT_TRUE(describes_aggregation_node("Mellanox Technologies Aggregation Node"));
  EXPECT_TRUE(describes_aggregation_node("SHArP 1"));
  EXPECT_FALSE(describes_aggregation_node("sharp-1 mlx5_0"));
}

std::vector<HostRail> hosts_of(const std::vector<std::string_view>& descriptions, std::string_view pattern = {}) {
  std::vector<Adapter> adapters;
  for (const auto description : descriptions) adapters.push_back({description, 0x100 + adapters.size()});
  auto host_rails = assign_hosts(adapters, pattern);
  EXPECT_TRUE(host_rails) << host_rails.error().message;
  return host_rails.value_or(std::vector<HostRail>());
}

std::vector<int> rails_of(const std::vector<HostRail>& host_rails) {
  std::vector<int> rails;
  for (const HostRail& host_rail : host_rails) rails.push_back(host_rail.rail);
  return rails;
}

TEST(AssignHosts, ARailIsTheRankOfTheDeviceNumberInTheFabric) {
  EXPECT_EQ(rails_of(hosts_of({"a mlx5_0", "a mlx5_1", "a mlx5_4", "a mlx5_5", "b HCA-6", "b HCA-2", "c mlx4_0"})),
            (std::vector{0, 1, 2, 3, 3, 1, 0}));
  EXPECT_EQ(rails_of(hosts_of({"a ibp65s0", "a ibp9s0", "b ibp65s0"})), (std::vector{1, 0, 1}));
}

TEST(AssignHosts, TwoDevicesOfOneNumberInOneHostTakeTwoRails) {
  EXPECT_EQ(rails_of(hosts_of({"a mlx5_0", "a mlx4_0", "b mlx5_0"})), (std::vector{1, 0, 0}));
}

TEST(AssignHosts, HostsOfTheSameNameAreNotMerged) {
  const auto host_rails = hosts_of({"a mlx5_0", "a mlx5_1", "b mlx5_0", "b mlx5_0", "b HCA-2", "c", "c"});
  EXPECT_EQ(host_rails[0].host, "a");
  EXPECT_EQ(host_rails[1].host, "a");
  for (std::size_t i = 2; i < host_rails.size(); ++i) EXPECT_EQ(host_rails[i].host, "") << i;
}

TEST(AssignHosts, APatternOverridesTheRules) {
  const auto host_rails = hosts_of({"rack1/node7 eth mlx5_1", "rack1/node7 eth mlx5_0", "other"}, R"(^rack\d/(\w+))");
  EXPECT_EQ(host_rails[0].host, "node7");
  EXPECT_EQ(host_rails[2].host, "");
  EXPECT_EQ(rails_of(host_rails), (std::vector{1, 0, 0}));
  const auto forced = hosts_of({"ubuntu mlx5_0", "ubuntu mlx5_0", "ubuntu x"}, R"((\S+) (\S+))");
  for (const HostRail& host_rail : forced) EXPECT_EQ(host_rail.host, "ubuntu");
  EXPECT_EQ(rails_of(forced), (std::vector{0, 1, 2}));
}

TEST(AssignHosts, BadPatternsAreRefused) {
  const std::vector<Adapter> adapters = {{"a mlx5_0", 1}};
  const auto unclosed = assign_hosts(adapters, "(");
  ASSERT_FALSE(unclosed);
  EXPECT_EQ(unclosed.error().message, "the host pattern '(' is not a valid regular expression");
  const auto groupless = assign_hosts(adapters, "a.*");
  ASSERT_FALSE(groupless);
  EXPECT_NE(groupless.error().message.find("has no group"), std::string::npos);
}

}  // namespace
}  // namespace ayatori
