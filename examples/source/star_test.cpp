#include <gtest/gtest.h>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

Result<Network> parse_star(std::string_view text, std::string_view file);
Result<Network> open_star(std::string_view rest);

namespace {

TEST(ParseStar, HostsAreOnOneSwitch) {
  const auto network = parse_star("# two hosts\nn1 25Gbit/s\n\n  n2\n", "hosts.txt");
  ASSERT_TRUE(network);
  EXPECT_EQ(network->router_count(), 1U);
  EXPECT_EQ(network->machines().size(), 2U);
  EXPECT_EQ(network->describe_link(network->port_id(0, 2)), "hub port 2 -> n2 port 1");
  EXPECT_EQ(to_string(network->ports(0)[1].rate), "25Gbit/s");
}

TEST(ParseStar, ErrorsNameFileLineAndWhatWasExpected) {
  EXPECT_EQ(parse_star("n1\nn2 fast\n", "hosts.txt").error().message,
            "hosts.txt:2: expected a rate like 25Gbit/s instead of 'fast'");
  EXPECT_EQ(parse_star("", "hosts.txt").error().message, "hosts.txt: expected 1 to 1024 hosts");
  EXPECT_EQ(open_star("").error().message, "star: no file is given");
  EXPECT_NE(open_star("/no/such/file").error().message.find("/no/such/file"), std::string::npos);
}

}  // namespace
}  // namespace ayatori
