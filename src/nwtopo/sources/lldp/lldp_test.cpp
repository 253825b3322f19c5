#include "ayatori/lldp/lldp.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "../read_fixtures.hpp"
#include "ayatori/network/plane_network.hpp"
#include "leave_out.hpp"
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

/// The same as `-f json` tells it. Without a name, what its chassis is called is no key.
std::string heard_in_json(std::string_view interface, std::string_view name, std::string_view port, bool forwards) {
  const auto chassis =
      fmt::format(R"({{"id": {{"type": "local", "value": "id of {}"}}, "mgmt-ip": ["10.0.0.1", "fe80::1"],)"
                  R"("capability": {{"type": "Bridge", "enabled": {}}}}})",
                  name, forwards);
  return fmt::format(R"({{"{}": {{"via": "LLDP", "rid": "1", "age": "1 day, 01:02:03", "chassis": {}, "port": {{)"
                     R"("id": {{"type": "ifname", "value": "{}"}}, "descr": "", "ttl": "120", "auto-negotiation": {{)"
                     R"("supported": true, "current": "25GbaseCR - x"}}}}}}}})",
                     interface, name.empty() ? chassis : fmt::format(R"({{"{}": {}}})", name, chassis), port);
}

/// One of one, or an array of several, as `-f json` has them.
std::string output_in_json(const std::vector<std::string>& neighbours) {
  if (neighbours.size() == 1) return fmt::format(R"({{"lldp": {{"interface": {}}}}})", neighbours.front());
  return fmt::format(R"({{"lldp": {{"interface": [{}]}}}})", fmt::join(neighbours, ","));
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

TEST(NetworkOfLldp, ARecordedEthernetHasItsTopology) {
  const Network network = made(open_lldp(AYATORI_SOURCE_DIR "/tests/golden/lldp"));
  EXPECT_EQ(network.planes()[0].name, "ethernet");
  EXPECT_EQ(cables(network), (std::set<std::string>{"leaf1 port 1 -> n1 eth0 port 1", "leaf1 port 2 -> n2 eth0 port 1",
                                                    "leaf2 port 1 -> n3 eth0 port 1", "leaf2 port 2 -> n4 eth0 port 1",
                                                    "leaf1 port 49 -> spine1 port 1", "leaf2 port 49 -> spine1 port 2",
                                                    "leaf2 port 50 -> spine1 port 4"}));
  EXPECT_EQ(to_string(network.port(network.port_id(0, 1)).rate), "10Gbit/s");
}

TEST(NetworkOfLldp, BothFormsOfJsonAreTheSameNetwork) {
  const auto network_of = [](const auto& heard_as, const auto& output_as) {
    return cables(made(opened(fmt::format(
        R"({{"n1": {}, "n2": {}, "leaf1": {}, "n3": {}}})", output_as({heard_as("eth0", "leaf1", "swp1", true)}),
        output_as({heard_as("eth0", "leaf1", "swp2", true), heard_as("eth1", "leaf2", "swp2", true)}),
        output_as({heard_as("swp1", "n1", "eth0", false), heard_as("swp2", "n2", "eth0", false)}), output_as({})))));
  };
  const auto json0 = [](auto... said) { return heard(said...); };
  EXPECT_EQ(network_of(heard_in_json, output_in_json), network_of(json0, output));
  EXPECT_EQ(network_of(heard_in_json, output_in_json).size(), 3U);
}

TEST(ParseLldp, AChassisWithoutANameHasItsId) {
  const auto reports = parse_lldp(output_in_json({heard_in_json("eth0", "", "swp7", true)}), "f", "n1", LldpRole::host);
  ASSERT_TRUE(reports) << reports.error().message;
  const LldpNeighbour& neighbour = reports->front().neighbours.front();
  EXPECT_EQ(neighbour.name, "id of ");
  EXPECT_FALSE(neighbour.named);
  EXPECT_EQ(neighbour.port, "swp7");
  EXPECT_EQ(to_string(neighbour.rate), "25Gbit/s");
}

TEST(ParseLldp, AChassisMayBeCalledAsAMember) {
  for (const char* name : {"id", "descr", "name"}) {
    const auto reports =
        parse_lldp(output_in_json({heard_in_json("via0", name, "1", true)}), "f", "n1", LldpRole::unknown);
    ASSERT_TRUE(reports) << reports.error().message;
    EXPECT_EQ(reports->front().neighbours.front().name, name);
  }
}

TEST(ParseLldp, OtherFormatsOfLldpctlAreNamed) {
  for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
           {"<?xml version=\"1.0\"?>\n<lldp label=\"LLDP neighbors\"/>", "XML"},
           {"lldp.eth0.via=LLDP\nlldp.eth0.rid=1\n", "the output of lldpctl -f keyvalue"},
           {"\n-------------------------------\nLLDP neighbors:\n", "the output of lldpctl for people"}}) {
    EXPECT_EQ(error_of(opened(text)), "f.json:1: expected JSON instead of " + what);
    EXPECT_EQ(opened(text).error().hint, "lldpctl -f json prints what this source reads");
  }
}

TEST(NetworkOfLldp, APortIsCalledAsItsOwnReportCallsIt) {
  const std::string descr = R"(, "descr": [{"value": "Ethernet0"}])";
  const Network network = made(
      opened(many({{"n1", {heard("eth0", "leaf1", "etp1", true, descr)}},
                   {"n2", {heard("eth0", "leaf2", "etp1", true, descr)}},
                   {"leaf1", {heard("Ethernet0", "n1", "eth0", false), heard("Ethernet4", "n3", "eth0", false)}}})));
  EXPECT_EQ(cables(network), (std::set<std::string>{"leaf1 port 1 -> n1 eth0 port 1", "leaf1 port 5 -> n3 eth0 port 1",
                                                    "leaf2 port 1 -> n2 eth0 port 1"}));
}

/// Two leaves with two hosts each, under a spine. With `management`, hosts' eno1 and switches' eth0 are on a switch of
/// their own, which is cabled to one more.
std::string fat_tree(bool management, std::string_view switch_port = "eth0") {
  std::vector<std::pair<std::string, std::vector<std::string>>> devices;
  int gi = 0;
  const auto add = [&](const std::string& name, std::vector<std::string> neighbours, std::string_view port) {
    const auto there = fmt::format("Gi1/0/{}", ++gi);
    if (management) neighbours.push_back(heard(port, "mgmt", there, true));
    devices.emplace_back(name, std::move(neighbours));
  };
  for (const int leaf : {1, 2}) {
    const auto name = fmt::format("leaf{}", leaf);
    std::vector<std::string> neighbours = {heard("swp9", "spine1", fmt::format("swp{}", leaf), true)};
    for (const int host : {1, 2}) {
      const auto machine = fmt::format("n{}-{}", leaf, host);
      add(machine, {heard("ens1", name, fmt::format("swp{}", host), true)}, "eno1");
      neighbours.push_back(heard(fmt::format("swp{}", host), machine, "ens1", false));
    }
    add(name, neighbours, switch_port);
  }
  add("spine1", {heard("swp1", "leaf1", "swp9", true), heard("swp2", "leaf2", "swp9", true)}, switch_port);
  if (management) devices.push_back({"mgmt", {heard("Gi1/1/1", "core", "Gi1/0/1", true)}});
  return many(devices);
}

TEST(NetworkOfLldp, AManagementNetworkIsAPlaneOfItsOwn) {
  const std::set<std::string> expected = cables(made(opened(fat_tree(false))));
  for (const char* port : {"eth0", "mgmt0", "Management1", "fxp0"}) {
    const Network network = made(opened(fat_tree(true, port)));
    ASSERT_EQ(network.planes().size(), 2U) << port;
    EXPECT_EQ(network.planes()[1].name, "management");
    EXPECT_FALSE(network.planes()[1].use.carries(Purpose::collectives));
    EXPECT_EQ(cables(*network_of_plane(network, 0)), expected);
    EXPECT_EQ(network_of_plane(network, 1)->machines().size(), 4U);
    EXPECT_EQ(network_of_plane(network, 1)->link_count(), 5U) << "to hosts, and to the other switch";
    const PortId first = network.machine(*network.find_machine("n1-1")).endpoints.front();
    EXPECT_EQ(network.device(network.port(first).device).plane, 0U) << "rails of management come last";
  }
}

TEST(NetworkOfLldp, PortsLikeTheOthersAreNotForManagement) {
  // All of a switch are called eth, and the one that is called eth0 leads to a switch that others lead to as well.
  for (const char* port : {"eth0", "swp1"}) {
    const Network network =
        made(opened(many({{"leaf1", {heard(port, "spine1", "eth1", true), heard("eth1", "n1", "eth0", false)}},
                          {"leaf2", {heard("eth0", "spine1", "eth2", true), heard("eth1", "n2", "eth0", false)}},
                          {"leaf3",
                           {heard("eth0", "spine1", "eth3", true), heard("swp1", "spine1", "eth4", true),
                            heard("swp2", "n3", "eth0", false)}},
                          {"spine1",
                           {heard("eth1", "leaf1", port, true), heard("eth2", "leaf2", "eth0", true),
                            heard("eth3", "leaf3", "eth0", true)}}})));
    EXPECT_EQ(network.router_count(), 4U) << port;
    EXPECT_EQ(network.planes().size(), 1U) << port;
    EXPECT_EQ(network.link_count(), 7U) << port;
  }
}

TEST(LeaveOut, RemovesDevicesAndInterfacesWithTheirCables) {
  const auto left = [](std::string_view name) {
    auto reports = *parse_lldp(fat_tree(true), "f.json", "n1", LldpRole::unknown);
    if (auto done = leave_out(name, reports); !done) return done.error().message;
    return std::to_string(made(network_of_lldp(reports)).link_count());
  };
  EXPECT_EQ(left("mgmt"), "6") << "the leaves' four, and two to the spine";
  EXPECT_EQ(left("eno1"), "7") << "hosts are not on that network any more";
  EXPECT_EQ(left("n1-*"), "7") << "the others' two to leaves, two to mgmt, two to the spine, one to core";
  EXPECT_EQ(left("*p9"), "10") << "no way to the spine";
  EXPECT_EQ(left("mgm"), "no device and no interface is called 'mgm'");
  EXPECT_EQ(left("*mg*mt*"), "6") << "'*' may stand for nothing";
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
  EXPECT_EQ(error_of(opened(R"({"lldp": "no"})")), "f.json: /lldp: expected an object");
  EXPECT_EQ(error_of(opened(R"({"lldp": {"interface": {"eth0": {}}}})")),
            "f.json: /lldp/interface/eth0: expected a member 'via'");
  EXPECT_EQ(error_of(opened(R"({"lldp": {"interface": {"": {}}}})")),
            "f.json: /lldp/interface: an interface without a name");
  EXPECT_EQ(error_of(opened(R"({"lldp": [{"interface": [{"via": "LLDP"}]}]})")),
            "f.json: /lldp/0/interface/0: expected a member 'name'");
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

TEST_F(OpenLldpFolder, NamesMayBeLeftOut) {
  write("n1.json", output({heard("eth0", "leaf1", "swp1", true), heard("eno1", "mgmt", "1", true)}));
  write("n2.json", output({heard("eth0", "leaf1", "swp2", true), heard("eno1", "mgmt", "2", true)}));
  EXPECT_EQ(made(open()).link_count(), 4U);
  EXPECT_EQ(made(open_lldp(path_.string() + ",without=eno*")).router_count(), 1U);
  EXPECT_EQ(made(open_lldp(path_.string() + ",without=mgmt,without=n2")).link_count(), 1U);
  EXPECT_EQ(error_of(open_lldp(path_.string() + ",without=eno2")),
            path_.string() + ": no device and no interface is called 'eno2'");
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
