#include "host_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ayatori {
namespace {

std::string host_of(std::string_view description) { return std::string(parse_host(description).host); }

TEST(HostNames, ReadsHostAndDevice) {
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

TEST(HostNames, ABareWordIsAHost) {
  EXPECT_EQ(host_of("H0"), "H0");
  EXPECT_EQ(host_of("hca1"), "hca1");
  EXPECT_FALSE(parse_host("H0").device);
}

TEST(HostNames, ModelsAndPlaceholdersAreNoHosts) {
  for (const std::string_view description :
       {"", "   ", "MT4129 ConnectX7   Mellanox Technologies", "MT25408 ConnectX Mellanox Technologies",
        "VoltaireHca x", "localhost HCA-6", "localhost.localdomain mlx5_0", "(none) mlx5_0", "ubuntu mlx5_1", "mlx5_0",
        "HCA-1", "HCA-0 HCA-1", "H-0002c90300a1b2c3", "MT4129 HCA-1", "host HCA-0", "host mlx5_99999999999", "''"}) {
    EXPECT_EQ(host_of(description), description == "HCA-0 HCA-1" ? "HCA-0" : "") << description;
  }
}

TEST(HostNames, AggregationNodes) {
  EXPECT_TRUE(describes_aggregation_node("Mellanox Technologies Aggregation Node"));
  EXPECT_TRUE(describes_aggregation_node("SHArP 1"));
  EXPECT_FALSE(describes_aggregation_node("sharp-1 mlx5_0"));
}

std::vector<Seat> seats_of(const std::vector<std::string_view>& descriptions, std::string_view pattern = {}) {
  std::vector<Adapter> adapters;
  for (const auto description : descriptions) adapters.push_back({description, 0x100 + adapters.size()});
  auto seats = seat_adapters(adapters, pattern);
  EXPECT_TRUE(seats) << seats.error().message;
  return seats.value_or(std::vector<Seat>());
}

std::vector<int> rails_of(const std::vector<Seat>& seats) {
  std::vector<int> rails;
  for (const Seat& seat : seats) rails.push_back(seat.rail);
  return rails;
}

TEST(HostNames, ARailIsTheRankOfTheDeviceInTheFabric) {
  EXPECT_EQ(rails_of(seats_of({"a mlx5_0", "a mlx5_1", "a mlx5_4", "a mlx5_5", "b HCA-6", "b HCA-2", "c mlx4_0"})),
            (std::vector{0, 1, 2, 3, 3, 1, 0}));
  EXPECT_EQ(rails_of(seats_of({"a ibp65s0", "a ibp9s0", "b ibp65s0"})), (std::vector{1, 0, 1}));
}

TEST(HostNames, TwoDevicesOfOneNumberInOneHostTakeTwoRails) {
  EXPECT_EQ(rails_of(seats_of({"a mlx5_0", "a mlx4_0", "b mlx5_0"})), (std::vector{1, 0, 0}));
}

TEST(HostNames, NamesakesAreParted) {
  const auto seats = seats_of({"a mlx5_0", "a mlx5_1", "b mlx5_0", "b mlx5_0", "b HCA-2", "c", "c"});
  EXPECT_EQ(seats[0].host, "a");
  EXPECT_EQ(seats[1].host, "a");
  for (std::size_t i = 2; i < seats.size(); ++i) EXPECT_EQ(seats[i].host, "") << i;
}

TEST(HostNames, APatternOverridesTheRules) {
  const auto seats = seats_of({"rack1/node7 eth mlx5_1", "rack1/node7 eth mlx5_0", "other"}, R"(^rack\d/(\w+))");
  EXPECT_EQ(seats[0].host, "node7");
  EXPECT_EQ(seats[2].host, "");
  EXPECT_EQ(rails_of(seats), (std::vector{1, 0, 0}));
  const auto forced = seats_of({"ubuntu mlx5_0", "ubuntu mlx5_0", "ubuntu x"}, R"((\S+) (\S+))");
  for (const Seat& seat : forced) EXPECT_EQ(seat.host, "ubuntu");
  EXPECT_EQ(rails_of(forced), (std::vector{0, 1, 2}));
}

TEST(HostNames, BadPatternsAreRefused) {
  const std::vector<Adapter> adapters = {{"a mlx5_0", 1}};
  const auto unclosed = seat_adapters(adapters, "(");
  ASSERT_FALSE(unclosed);
  EXPECT_EQ(unclosed.error().message, "the host pattern '(' is no regular expression");
  const auto groupless = seat_adapters(adapters, "a.*");
  ASSERT_FALSE(groupless);
  EXPECT_NE(groupless.error().message.find("has no group"), std::string::npos);
}

}  // namespace
}  // namespace ayatori
