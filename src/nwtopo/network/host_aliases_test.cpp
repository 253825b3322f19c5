#include "ayatori/network/host_aliases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/job.hpp"

namespace ayatori {
namespace {

namespace host_aliases_test {

Network hosts(const std::vector<std::string>& names) {
  NetworkBuilder builder;
  const auto leaf = builder.add_router("leaf", 0x1, 64);
  PortNumber port = 1;
  for (const std::string& name : names) {
    EXPECT_TRUE(builder.connect(builder.add_nic(name, 0x100U * port, 1, name, 0), 1, leaf, port, {}));
    ++port;
  }
  return builder.build().value();
}

/// The machine that the hostfile's only line finds, and what the job calls it.
std::string found(const Network& network, std::string_view host) {
  const auto entries = parse_hostfile(host, "H");
  const auto job = place_job(network, *entries, "H", 0, RankOrder::as_given);
  if (!job) return job.error().message;
  const MachineId machine = job->machine_of_rank.front();
  return fmt::format("{} {}", network.machine(machine).name, job->name_of(network, machine));
}

std::string error(const Network& network, std::string_view text) {
  const auto read = with_aliases(network, text, "A");
  return read ? "read" : read.error().message;
}

Network instances() { return hosts({"i-0a1", "i-0a2", "i-0b1"}); }

}  // namespace host_aliases_test

using namespace host_aliases_test;

TEST(WithAliases, HostsAreFoundByAnyNameOfTheirLine) {
  const auto network =
      with_aliases(instances(), "i-0a1 ip-10-0-1-1\nip-10-0-1-2.ec2.internal\tI-0A2  other # i-0b1\n", "A");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(found(*network, "ip-10-0-1-1"), "i-0a1 ip-10-0-1-1");
  EXPECT_EQ(found(*network, "IP-10-0-1-1.ec2.internal"), "i-0a1 IP-10-0-1-1.ec2.internal");
  EXPECT_EQ(found(*network, "ip-10-0-1-2"), "i-0a2 ip-10-0-1-2");
  EXPECT_EQ(found(*network, "other"), "i-0a2 other");
  EXPECT_EQ(found(*network, "i-0b1"), "i-0b1 i-0b1");
  EXPECT_EQ(found(*network, "i-0b1.site"), "i-0b1 i-0b1") << "a domain makes no other name";
  EXPECT_EQ(found(*network, "0x100"), "i-0a1 i-0a1") << "no launcher knows a GUID";
}

TEST(WithAliases, EtcHostsIsSuchAFile) {
  const auto network = with_aliases(hosts({"n1", "n2"}),
                                    "# made by cloud-init\n"
                                    "127.0.0.1 localhost n1\n"
                                    "127.0.1.1 n2 n2\n"
                                    "::1 localhost ip6-localhost\r\n"
                                    "\n"
                                    "10.0.0.1 n1.site n1 head\n"
                                    "10.1.0.1 n1-ib # its other network\n"
                                    "10.1.0.1 n1\n"
                                    "10.0.0.2 n2.site n2\n"
                                    "10.0.0.3 printer\n",
                                    "/etc/hosts");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(found(*network, "10.0.0.2"), "n2 10.0.0.2");
  EXPECT_EQ(found(*network, "head"), "n1 head");
  EXPECT_EQ(found(*network, "n1-ib"), "n1 n1-ib") << "by the address that both lines have";
  EXPECT_EQ(found(*network, "n1.site"), "n1 n1");
  EXPECT_EQ(found(*network, "localhost"), "H:1: the network has no host 'localhost'");
  EXPECT_EQ(found(*network, "printer"), "H:1: the network has no host 'printer'");
}

TEST(WithAliases, ANameOfTwoHostsIsRefused) {
  EXPECT_EQ(error(instances(), "i-0a1 x\ni-0a2 x\n"), "A:2: 'x' stands for two hosts: 'i-0a2' and 'i-0a1'");
  EXPECT_EQ(error(instances(), "10.0.0.1 i-0a1 i-0a2\n"), "A:1: '10.0.0.1' stands for two hosts: 'i-0a1' and 'i-0a2'");
  EXPECT_EQ(error(instances(), "a b\nc d\nb i-0a1\nc i-0b1\na d"),
            "A:5: 'd' stands for two hosts: 'i-0a1' and 'i-0b1'");
  const auto network = with_aliases(instances(), "i-0a1 x.one\ni-0a2 x.two\n", "A");
  ASSERT_TRUE(network);
  EXPECT_EQ(found(*network, "x.two"), "i-0a2 x.two");
  EXPECT_EQ(found(*network, "x"), "H:1: 'x' could be 'i-0a1' or 'i-0a2'");
}

TEST(WithAliases, NamesWithControlCharactersAreRefused) {
  EXPECT_EQ(error(instances(), "i-0a1 good\ni-0a2 b\x1b[2J\n"), "A:2: a control character in a name");
}

TEST(WithAliases, UnknownHostsAreHintedAt) {
  const auto entries = parse_hostfile("ip-10-0-1-1", "H");
  const auto job = place_job(instances(), *entries, "H", 0, RankOrder::as_given);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().hint, "--aliases FILE says what else hosts are called");
}

}  // namespace
}  // namespace ayatori
