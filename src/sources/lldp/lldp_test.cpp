#include "ayatori/lldp/lldp.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "media.hpp"

namespace ayatori {
namespace {

/// One neighbour as json0 tells it.
std::string heard(std::string_view interface, std::string_view name, std::string_view port, bool forwards,
                  std::string_view more_of_port = "", std::string_view via = "LLDP") {
  return fmt::format(R"({{"name": "{}", "via": "{}", "chassis": [{{"id": [{{"type": "local", "value": "id of {}"}}],)"
                     R"("name": [{{"value": "{}"}}], "capability": [{{"type": "Bridge", "enabled": {}}}]}}],)"
                     R"("port": [{{"id": [{{"type": "ifname", "value": "{}"}}]{}}}]}})",
                     interface, via, name, name, forwards, port, more_of_port);
}

std::string output(const std::vector<std::string>& neighbours) {
  return fmt::format(R"({{"lldp": [{{"interface": [{}]}}]}})", fmt::join(neighbours, ","));
}

/// {"NAME": output, …}
std::string many(const std::vector<std::pair<std::string, std::vector<std::string>>>& devices) {
  std::vector<std::string> members;
  for (const auto& [name, neighbours] : devices)
    members.push_back(fmt::format(R"("{}": {})", name, output(neighbours)));
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

Result<Network> opened(std::string_view text) {
  const auto reports = parse_lldp(text, "f.json", "n1", LldpRole::unknown);
  if (!reports) return Failure(reports.error());
  return network_of_lldp(*reports);
}

Network made(Result<Network> network) {
  if (!network) throw std::runtime_error(network.error().message);
  return std::move(*network);
}

std::string error_of(const Result<Network>& network) { return network ? "made" : network.error().message; }

/// "leaf1 port 1 -> n1 eth0 port 1", each cable from its router, or its lower node.
std::set<std::string> cables(const Network& network) {
  std::set<std::string> all;
  for (PortId id = 0; id < network.port_count(); ++id) {
    if (network.port(id).connected() && id < network.port(id).peer) all.insert(network.describe_link(id));
  }
  return all;
}

TEST(NetworkOfLldp, ARecordedEthernetHasItsTopology) {
  const Network network = made(open_lldp(AYATORI_SOURCE_DIR "/tests/golden/lldp"));
  EXPECT_EQ(network.planes()[0].name, "ethernet");
  EXPECT_EQ(cables(network), (std::set<std::string>{"leaf1 port 1 -> n1 eth0 port 1", "leaf1 port 2 -> n2 eth0 port 1",
                                                    "leaf2 port 1 -> n3 eth0 port 1", "leaf2 port 2 -> n4 eth0 port 1",
                                                    "leaf1 port 49 -> spine1 port 1", "leaf2 port 49 -> spine1 port 2",
                                                    "leaf2 port 50 -> spine1 port 4"}));
  EXPECT_EQ(to_string(network.port(network.port_id(0, 1)).rate), "10Gbit/s");
}

TEST(NetworkOfLldp, HostsReportsShowTheirSwitches) {
  const Network network = made(opened(many({{"n1", {heard("eth0", "leaf1", "Ethernet1/17", true)}},
                                            {"n2", {heard("eth0", "leaf1", "Ethernet1/3", true)}}})));
  EXPECT_EQ(cables(network),
            (std::set<std::string>{"leaf1 port 17 -> n1 eth0 port 1", "leaf1 port 3 -> n2 eth0 port 1"}));
  EXPECT_EQ(network.device(0).port_count, 17);
}

TEST(NetworkOfLldp, AForwardingDeviceWithOneNeighbourIsAMachine) {
  const Network network = made(opened(many(
      {{"leaf1",
        {heard("swp1", "n1", "eth0", false), heard("swp2", "n2", "eth0", false), heard("swp3", "leaf2", "swp3", true)}},
       {"leaf2", {heard("swp3", "leaf1", "swp3", true)}}})));
  EXPECT_EQ(network.router_count(), 1U);  // leaf2 may be a host with containers
  EXPECT_EQ(network.machines().size(), 3U);
}

TEST(NetworkOfLldp, AGivenRoleOverridesCapabilities) {
  std::vector<LldpReport> reports = {
      {"leaf1", LldpRole::router, "f", {{"swp1", "n1", true, true, "eth0", {}}}},
      {"n1",
       LldpRole::host,
       "f",
       {{"eth0", "leaf1", true, true, "swp1", {}}, {"eth1", "leaf2", true, true, "swp1", {}}}},
  };
  const Network network = made(network_of_lldp(reports));
  EXPECT_EQ(network.router_count(), 2U);
  ASSERT_EQ(network.machines().size(), 1U);
  EXPECT_EQ(network.machine(0).endpoints.size(), 2U);
  for (LldpReport& report : reports) report.role = LldpRole::router;
  EXPECT_EQ(error_of(network_of_lldp(reports)), "every device in the reports forwards packets: there is no machine");
}

TEST(NetworkOfLldp, HostsWithoutNeighboursAreKept) {
  for (const char* silent : {R"({"lldp": [{}]})", R"({"lldp": []})", R"({"lldp": [{"interface": []}]})"}) {
    const Network network =
        made(opened(fmt::format(R"({{"n1": {}, "n2": {}}})", silent, output({heard("eth0", "leaf1", "swp1", true)}))));
    EXPECT_EQ(network.machines().size(), 2U) << silent;
    EXPECT_EQ(network.link_count(), 1U) << silent;
  }
}

TEST(NetworkOfLldp, NamesMatchWithAndWithoutDomain) {
  const Network network = made(opened(many({{"n1", {heard("eth0", "leaf1.site", "swp1", true)}},
                                            {"n2", {heard("eth0", "leaf1", "swp2", true)}},
                                            {"leaf1", {heard("swp1", "n1.site", "eth0", false)}},
                                            {"10.0.0.1", {heard("eth0", "leaf1.site", "swp3", true)}},
                                            {"10.0.0.2", {heard("eth0", "leaf1.site", "swp4", true)}}})));
  EXPECT_EQ(network.machines().size(), 4U);
  ASSERT_EQ(network.router_count(), 1U);
  EXPECT_EQ(network.name(0), "leaf1");
  EXPECT_EQ(error_of(opened(many({{"n1", {heard("eth0", "leaf1.a", "swp1", true)}},
                                  {"n2", {heard("eth0", "leaf1.b", "swp1", true)}},
                                  {"n3", {heard("eth0", "leaf1", "swp1", true)}}}))),
            "'leaf1' matches both 'leaf1.a' and 'leaf1.b'");
  EXPECT_EQ(error_of(opened(many({{"n1", {}}, {"n1.site", {}}}))),
            "'n1' reported twice: in f.json and as 'n1.site' in f.json");
}

TEST(NetworkOfLldp, RailsFollowInterfaceNames) {
  const Network network =
      made(opened(many({{"n1", {heard("eth2", "leaf2", "swp1", true)}},
                        {"n2",
                         {heard("eth10", "leaf3", "swp1", true), heard("eth1", "leaf1", "swp1", true),
                          heard("eth2", "leaf2", "swp2", true)}}})));
  const auto rails = [&](std::string_view machine) {
    std::vector<int> found;
    for (const PortId end : network.machine(*network.find_machine(machine)).endpoints) {
      found.push_back(network.device(network.port(end).device).rail);
    }
    return found;
  };
  EXPECT_EQ(rails("n1"), (std::vector<int>{1}));
  EXPECT_EQ(rails("n2"), (std::vector<int>{0, 1, 2}));
}

TEST(ParseLldp, APortIdThatIsAMacAddressYieldsToTheDescription) {
  const std::string with_mac = R"({"lldp": [{"interface": [{"name": "eth0", "via": "LLDP",
    "chassis": [{"id": [{"type": "mac", "value": "02:00:00:00:00:01"}]}],
    "port": [{"id": [{"type": "mac", "value": "02:00:00:00:00:02"}], "descr": [{"value": "swp7"}]}]}]}]})";
  const auto reports = parse_lldp(with_mac, "f.json", "n1", LldpRole::unknown);
  ASSERT_TRUE(reports);
  const LldpNeighbour& neighbour = reports->front().neighbours.front();
  EXPECT_EQ(neighbour.port, "swp7");
  EXPECT_EQ(neighbour.name, "02:00:00:00:00:01");
  EXPECT_FALSE(neighbour.named);
}

TEST(ParseLldp, PrefersLldpAndNamedNeighbours) {
  const auto neighbours_of = [](const std::vector<std::string>& heard_ones) {
    const auto reports = parse_lldp(output(heard_ones), "f.json", "n1", LldpRole::unknown);
    return reports ? reports->front().neighbours.front().name : reports.error().message;
  };
  const std::string other_protocol = heard("eth0", "by-cdp", "1", true, "", "CDPv2");
  const std::string firmware =
      R"({"name": "eth0", "via": "LLDP", "chassis": [{"id": [{"type": "mac", "value": "02::1"}]}],
    "port": [{"id": [{"type": "mac", "value": "02::1"}]}]})";
  EXPECT_EQ(neighbours_of({other_protocol, heard("eth0", "leaf1", "1", true)}), "leaf1");
  EXPECT_EQ(neighbours_of({firmware, heard("eth0", "leaf1", "1", true)}), "leaf1");
  EXPECT_EQ(neighbours_of({other_protocol}), "by-cdp");
  EXPECT_EQ(neighbours_of({firmware}), "02::1");
  EXPECT_EQ(neighbours_of({heard("eth0", "leaf1", "1", true), heard("eth0", "leaf2", "7", true)}),
            "f.json: /lldp/0/interface: 'eth0' has the neighbours 'leaf1' port '1' and 'leaf2' port '7'");
}

TEST(NetworkOfLldp, ContradictingReportsAreRefused) {
  const auto network = opened(many({{"leaf1", {heard("swp1", "n1", "eth0", false), heard("swp2", "n2", "eth0", false)}},
                                    {"n2", {heard("eth0", "leaf1", "swp1", true)}}}));
  EXPECT_EQ(error_of(network),
            "'n2' port 'eth0' has two cables: to 'leaf1' port 'swp2' by the report of 'leaf1' (f.json), "
            "to 'leaf1' port 'swp1' by that of 'n2' (f.json)");
}

TEST(NetworkOfLldp, TheLowerOfTwoRatesCounts) {
  constexpr auto negotiated = R"(, "auto-negotiation": [{{"current": [{{"value": "{} - x"}}]}}])";
  const Network network =
      made(opened(many({{"leaf1",
                         {heard("swp1", "n1", "eth0", false, fmt::format(negotiated, "100GbaseCR4")),
                          heard("swp2", "n2", "eth0", false)}},
                        {"n1", {heard("eth0", "leaf1", "swp1", true, fmt::format(negotiated, "25GbaseCR"))}}})));
  EXPECT_EQ(to_string(network.ports(0)[1].rate), "25Gbit/s");
  EXPECT_EQ(to_string(network.ports(0)[2].rate), "?");
}

TEST(ParseLldp, ErrorsNameFileAndPlace) {
  EXPECT_EQ(error_of(opened("{")).substr(0, 24), "f.json:1: not valid JSON");
  EXPECT_EQ(error_of(opened("[]")), "f.json: /: expected an object");
  EXPECT_EQ(error_of(opened(R"({"lldp": {"interface": {}}})")), "f.json: /lldp: expected an array");
  EXPECT_EQ(opened(R"({"lldp": {"interface": {}}})").error().hint, "this source reads the output of lldpctl -f json0");
  EXPECT_EQ(error_of(opened(R"({"n1": {}})")), "f.json: /n1: expected a member 'lldp'");
  EXPECT_EQ(error_of(opened(R"({"": {"lldp": []}})")), "f.json: /: a device without a name");
  EXPECT_EQ(error_of(opened(R"({"lldp": [{"interface": [{"name": "eth0", "via": "LLDP"}]}]})")),
            "f.json: /lldp/0/interface/0: expected a 'chassis'");
  EXPECT_EQ(error_of(open_lldp("")), "lldp: no file is given");
  EXPECT_NE(error_of(open_lldp("/no/such/folder")).find("/no/such/folder"), std::string::npos);
}

class OpenLldpFolder : public ::testing::Test {
 protected:
  OpenLldpFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ayatori-lldp-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~OpenLldpFolder() override { std::filesystem::remove_all(path_); }

  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] Result<Network> open() const { return open_lldp(path_.string()); }
  [[nodiscard]] std::string error() const { return error_of(open()); }

  std::filesystem::path path_;
};

TEST_F(OpenLldpFolder, ReadsOneFilePerDevice) {
  write("n1.json", output({heard("eth0", "leaf1", "swp1", true)}));
  write("n2", output({heard("eth0", "leaf1", "swp2", true)}));
  write(".n3.json.swp", "no report");
  const Network network = made(open());
  EXPECT_EQ(cables(network),
            (std::set<std::string>{"leaf1 port 1 -> n1 eth0 port 1", "leaf1 port 2 -> n2 eth0 port 1"}));
}

TEST_F(OpenLldpFolder, SubfoldersGiveRoles) {
  write("hosts/n1.json", output({heard("eth0", "leaf1", "swp1", true), heard("eth1", "leaf2", "swp1", true)}));
  write("switches/leaf1.json", output({heard("swp1", "n1", "eth0", true)}));
  const Network network = made(open());
  EXPECT_EQ(network.router_count(), 2U);
  EXPECT_EQ(network.machines().size(), 1U);
}

TEST_F(OpenLldpFolder, AFolderWithoutReportsIsRefused) {
  EXPECT_EQ(error(), path_.string() + ": there is no report of any device");
  write("rack1/n1.json", output({}));
  EXPECT_EQ(error(), path_.string() + "/rack1: expected a report, found a folder");
}

TEST(RateOfMedium, ReadsIeeeMediumNames) {
  const auto rate = [](std::string_view medium) { return to_string(rate_of_medium(medium)); };
  EXPECT_EQ(rate("10GbaseT - Four-pair Category 6A or better, full duplex mode only"), "10Gbit/s");
  EXPECT_EQ(rate("10GigBaseLR - R fiber over 1310 nm optics"), "10Gbit/s");
  EXPECT_EQ(rate("1000BaseTFD - Four-pair Category 5 UTP, full duplex mode"), "1Gbit/s");
  EXPECT_EQ(rate("100BaseTXFD - 2 pair category 5 UTP, full duplex mode"), "100Mbit/s");
  EXPECT_EQ(rate("2p5GbaseX - 2.5GBASE-X PCS/PMA over undefined PMD"), "2500Mbit/s");
  EXPECT_EQ(rate("400GbaseDR4 - x"), "400Gbit/s");
  for (const char* unknown : {"", "unknown", "10G1GbasePRXD1 - asymmetric", "G", "99999999999999999999Gbase",
                              "4000001base", "5000000Gbase", "2pGbase", "2p55Gbase", "10"}) {
    EXPECT_EQ(rate(unknown), "?") << unknown;
  }
}

TEST(NumberPorts, UsesTheNumbersInTheNames) {
  using Numbers = std::map<std::string, PortNumber>;
  EXPECT_EQ(*number_ports({"swp1", "swp17"}), (Numbers{{"swp1", 1}, {"swp17", 17}}));
  EXPECT_EQ(*number_ports({"Ethernet1/17", "Ethernet1/3"}), (Numbers{{"Ethernet1/17", 17}, {"Ethernet1/3", 3}}));
  EXPECT_EQ(*number_ports({"Ethernet17/1", "Ethernet18/1"}), (Numbers{{"Ethernet17/1", 17}, {"Ethernet18/1", 18}}));
  EXPECT_EQ(*number_ports({"Ethernet0", "Ethernet4"}), (Numbers{{"Ethernet0", 1}, {"Ethernet4", 5}}));
  EXPECT_EQ(*number_ports({"17"}), (Numbers{{"17", 17}}));
  EXPECT_EQ(*number_ports({"Gi1/0/7"}), (Numbers{{"Gi1/0/7", 7}}));
  EXPECT_TRUE(number_ports({})->empty());
}

TEST(NumberPorts, FallsBackToNaturalOrder) {
  using Numbers = std::map<std::string, PortNumber>;
  EXPECT_EQ(*number_ports({"swp2s1", "swp2s0", "swp10s0"}), (Numbers{{"swp2s0", 1}, {"swp2s1", 2}, {"swp10s0", 3}}));
  EXPECT_EQ(*number_ports({"uplink", "Ethernet7"}), (Numbers{{"Ethernet7", 1}, {"uplink", 2}}));
  EXPECT_EQ(*number_ports({"left", "right"}), (Numbers{{"left", 1}, {"right", 2}}));
  EXPECT_EQ(*number_ports({"1", "01"}), (Numbers{{"01", 1}, {"1", 2}}));
  EXPECT_EQ(*number_ports({"4097", "7"}), (Numbers{{"7", 1}, {"4097", 2}}));
  EXPECT_EQ(*number_ports({"99999999999999999999"}), (Numbers{{"99999999999999999999", 1}}));
}

}  // namespace
}  // namespace ayatori
