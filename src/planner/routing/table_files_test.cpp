#include "ayatori/tables/table_files.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

/// The fabric of the samples in src/planner/fuzz/corpus/tables: leaves S-1 and S-2, roots S-3 and S-4, two hosts a
/// leaf.
Network sample_network(Lid lid_of_first_host = 0) {
  NetworkBuilder builder;
  const LinkRate rate{4, LaneSpeed::sdr};
  for (int i = 0; i < 4; ++i) builder.add_router(fmt::format("S-{}", i + 1), 0x200000 + i, 5);
  for (NetworkBuilder::Handle i = 0; i < 4; ++i) {
    const auto host = builder.add_nic(fmt::format("H-{}", i + 1), 0x100000 + 2 * i, 1, fmt::format("H-{}", i + 1), 0);
    if (i == 0 && lid_of_first_host != 0) builder.set_port(host, 1, 0, lid_of_first_host, 2);
    EXPECT_TRUE(builder.connect(host, 1, i / 2, static_cast<PortNumber>(1 + i % 2), rate));
  }
  for (NetworkBuilder::Handle leaf = 0; leaf < 2; ++leaf) {
    for (NetworkBuilder::Handle root = 2; root < 4; ++root) {
      const auto up = static_cast<PortNumber>(root + 1);
      EXPECT_TRUE(builder.connect(leaf, up, root, static_cast<PortNumber>(leaf + 1), rate));
    }
  }
  return builder.build().value();
}

/// Real output of OpenSM 3.3.23 (-R minhop -l 2) and the InfiniBand diagnostics on ibsim.
std::string sample(std::string_view name) {
  return read_file(fmt::format("{}/src/planner/fuzz/corpus/tables/{}", AYATORI_SOURCE_DIR, name)).value();
}

std::string written(const Network& network, const Routes& routes) {
  std::string text;
  write_tables(network, routes, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string error_in(const std::string& text) {
  const Network network = sample_network();
  const auto routes = parse_tables(text, "lfts", network);
  EXPECT_FALSE(routes);
  return routes ? "" : routes.error().message;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

void expect_same_lids(const LidMap& a, const LidMap& b) {
  ASSERT_EQ(a.ranges().size(), b.ranges().size());
  for (std::size_t i = 0; i < a.ranges().size(); ++i) {
    EXPECT_EQ(a.ranges()[i].port, b.ranges()[i].port);
    EXPECT_EQ(a.ranges()[i].base, b.ranges()[i].base);
    EXPECT_EQ(a.ranges()[i].lmc, b.ranges()[i].lmc);
  }
}

TEST(ParseTables, ReadsOpenSmDumps) {
  const Network network = sample_network();
  const auto routes = parse_tables(sample("opensm-lfts.dump"), "opensm-lfts.dump", network);
  ASSERT_TRUE(routes) << routes.error().message;
  const LidRange host3 = routes->lids.of(network.endpoints()[2]);
  EXPECT_EQ(host3.base, 0x14);
  EXPECT_EQ(host3.lmc, 2);
  EXPECT_EQ(routes->lids.of(network.port_id(2, 0)).base, 0x0a);
  EXPECT_EQ(routes->tables.out(0, 0x14), 3);
  EXPECT_EQ(routes->tables.out(0, 0x15), 4);
  EXPECT_EQ(routes->tables.out(0, 0x0b), ForwardingTables::no_port);
  EXPECT_EQ(routes->tables.last_lid(), 0x1b);
  EXPECT_EQ(check_tables(network, *routes).unreachable, 0U);
}

TEST(ParseTables, APortOfTheNetworkThatNoTableHasIsFoundByTheCheck) {
  const Network network = sample_network(0x04);
  const std::string whole = sample("opensm-lfts.dump");
  std::string text;
  std::istringstream lines(whole);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("'H-1'") == std::string::npos) text += line + "\n";
  }
  const auto routes = parse_tables(text, "lfts", network);
  ASSERT_TRUE(routes) << routes.error().message;
  const TableCheck check = check_tables(network, *routes);
  EXPECT_FALSE(check.ok());
  ASSERT_EQ(check.problems.size(), 1U);
  EXPECT_EQ(check.problems[0], "no router has an entry for LID 0x0004 ('H-1' port 1 of 'H-1')");
  EXPECT_TRUE(check_tables(network, parse_tables(whole, "lfts", network).value()).ok());
}

TEST(ParseTables, ReadsDumpLftsAndIbrouteAsOpenSmDumps) {
  const Network network = sample_network();
  const Routes expected = parse_tables(sample("opensm-lfts.dump"), "opensm-lfts.dump", network).value();
  for (const char* name : {"dump_lfts", "dump_lfts-a", "ibroute"}) {
    SCOPED_TRACE(name);
    const auto routes = parse_tables(sample(name), name, network);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->tables, expected.tables);
    expect_same_lids(routes->lids, expected.lids);
  }
}

TEST(ParseTables, SkipsWhatDumpLftsSaysOfItself) {
  const Network network = sample_network();
  const auto routes =
      parse_tables(sample("dump_lfts") + "\n*** WARNING ***: this command has been replaced by dump_fts\n\n\n",
                   "dump_lfts", network);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->tables, parse_tables(sample("dump_lfts"), "dump_lfts", network)->tables);
  EXPECT_TRUE(routes->warnings.empty());
}

/// What ibroute and dump_lfts print between the entries when a router does not answer, and what a terminal adds.
TEST(ParseTables, ShowsTheMessagesThatItSkips) {
  const Network network = sample_network();
  const auto good = parse_tables(sample("ibroute"), "ibroute", network).value();
  EXPECT_TRUE(good.warnings.empty());
  const auto routes = parse_tables(
      "root@host:~# ibroute -G 0x200000\n"
      "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 8)\n" +
          sample("ibroute") + "ibroute: iberror: failed: can't get switch info\n",
      "ibroute", network);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->tables, good.tables);
  ASSERT_EQ(routes->warnings.size(), 4U);
  EXPECT_NE(routes->warnings[0].find("ibroute:1: skipped, not an entry of forwarding tables: \"root@host"),
            std::string::npos)
      << routes->warnings[0];
  EXPECT_NE(routes->warnings[2].find("can't get switch info"), std::string::npos) << routes->warnings[2];
  EXPECT_NE(routes->warnings[3].find("entries may be missing"), std::string::npos) << routes->warnings[3];
}

TEST(WriteTables, LeavesOutCommentsAndUnchangedRouters) {
  const Network network = sample_network();
  const Routes routes = parse_tables(sample("opensm-lfts.dump"), "lfts", network).value();
  const auto written = [&](TableFileOptions options) {
    std::string text;
    write_tables(network, routes, [&](std::string_view piece) { text += piece; }, options);
    EXPECT_EQ(text.size(), table_file_bytes(network, routes, options));
    return text;
  };
  const std::string full = written({});
  const std::string compact = written({.comments = false});
  EXPECT_LT(compact.size(), full.size());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(compact, '#')), routes.lids.lid_count());
  const auto again = parse_tables(compact, "lfts", network);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->tables, routes.tables);
  expect_same_lids(again->lids, routes.lids);
  EXPECT_EQ(parse_tables(full, "lfts", network).value().tables, routes.tables);
  Routes old = routes;
  EXPECT_EQ(written({.changed_from = &old}), "");
  const Lid lid = routes.lids.of(network.endpoints()[0]).base;
  old.tables.set_out(1, lid, ForwardingTables::no_port);
  const std::string changed = written({.changed_from = &old});
  EXPECT_NE(full.find(changed), std::string::npos);
  EXPECT_EQ(changed.find("Unicast lids", 1), std::string::npos);
  EXPECT_NE(changed.find(network.name(1)), std::string::npos);
}

TEST(ParseTables, TakesMissingOwnersFromTheNetwork) {
  const auto nothing = parse_tables(sample("dump_lfts-n"), "lfts", sample_network());
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().message, "lfts: nothing tells whose LIDs these are");
  EXPECT_FALSE(nothing.error().hint.empty());

  const Network network = sample_network(0x4);
  const auto routes = parse_tables(sample("dump_lfts-n"), "lfts", network);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->lids.ranges().size(), 1U);
  EXPECT_EQ(routes->lids.of(network.endpoints()[0]).base, 0x4);
  EXPECT_EQ(routes->lids.of(network.endpoints()[0]).lmc, 2);
}

TEST(ParseTables, FindsTheRangeOfAPortWithGaps) {
  // Paper 1, section 4.1: with 3 roots and LMC 2, the fourth LID is not used.
  std::string text;
  for (int router = 0; router < 4; ++router) {
    text += fmt::format("Unicast lids [0-6] of switch Lid 0 guid 0x20000{} ('')\n", router);
    if (router == 0) text += "0x0004 001 # portguid 0x100001\n0x0006 1 # portguid 0x100001\r\n\n# remark\n";
  }
  const Network network = sample_network();
  const auto routes = parse_tables(text, "lfts", network);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->lids.of(network.endpoints()[0]).base, 4);
  EXPECT_EQ(routes->lids.of(network.endpoints()[0]).lmc, 2);
  EXPECT_EQ(routes->tables.last_lid(), 7);
}

TEST(ParseTables, ReadsWhatWriteTablesWrote) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network =
        (seed % 2 == 0 ? test::random_tree(2 + seed % 2, random) : test::random_graph(random)).build();
    const Routes routes = generate_routes(network, static_cast<int>(seed % 4)).value().routes;
    const std::string text = written(network, routes);
    const auto again = parse_tables(text, "lfts", network);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->tables, routes.tables);
    expect_same_lids(again->lids, routes.lids);
    EXPECT_EQ(written(network, *again), text);
  }
}

TEST(WriteTables, WritesAsOpenSmDoes) {
  const Network network = sample_network();
  const std::string dump = sample("opensm-lfts.dump");
  EXPECT_EQ(written(network, parse_tables(dump, "lfts", network).value()), dump);
}

TEST(WriteTables, WritesGuidToLidRecords) {
  const Network network = sample_network();
  const LidMap lids =
      LidMap::from_ranges(network, {{network.endpoints()[0], 8, 2}, {network.port_id(0, 0), 12, 0}}).value();
  std::string text;
  write_guid_to_lid(network, lids, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text, "0x0000000000100001 0x0008 0x000b\n\n0x0000000000200000 0x000c 0x000c\n\n");
}

TEST(ParseTables, NamesFileAndLineOfErrors) {
  const std::string dump = sample("opensm-lfts.dump");
  EXPECT_EQ(error_in(replaced(dump, "guid 0x0000000000200001 ", "guid 0x0000000000200009 ")),
            "lfts:23: the network has no router with GUID 0x0000000000200009");
  EXPECT_EQ(error_in(replaced(dump, "guid 0x0000000000200001 ", "guid 0x0000000000100001 ")),
            "lfts:23: the network has no router with GUID 0x0000000000100001");
  EXPECT_EQ(error_in(replaced(dump, " guid ", " gud ")),
            "lfts:1: expected 'guid 0x…' of a router after 'Unicast lids …'");
  EXPECT_EQ(error_in(replaced(dump, "portguid 0x0000000000100003", "portguid 0x0000000000999999")),
            "lfts:9: the network has no port with GUID 0x0000000000999999");
  EXPECT_EQ(error_in(replaced(dump, "0x0004 001", "0x0004 006")), "lfts:2: 'S-1' has no port 6: its ports are 1 to 5");
  EXPECT_EQ(error_in(replaced(dump, "0x0004 001", "0x0004 005")), "lfts:2: 'S-1' port 5 has no cable");
  EXPECT_EQ(error_in(replaced(dump, "0x0004 001", "0xc000 001")),
            "lfts:2: LID 0xc000 is after the last unicast LID, 0xbfff");
  EXPECT_EQ(error_in(replaced(dump, "0x0004 001", "0x0004 1x")), "lfts:2: expected a LID and a port: '0x0004 001'");
  EXPECT_EQ(error_in(replaced(dump, "0x0005 001", "0x0004 002")),
            "lfts:3: 'S-1' sends LID 0x0004 to port 1 and to port 2");
  EXPECT_EQ(error_in(replaced(dump, "0x000c 002 # Channel Adapter portguid 0x0000000000100003",
                              "0x0007 001 # Channel Adapter portguid 0x0000000000100003")),
            "lfts:9: LID 0x0007 has two owners: 'H-1' port 1 and 'H-2' port 1");
  EXPECT_EQ(error_in(dump.substr(dump.find("0x0004"))), "lfts:1: an entry before any 'Unicast lids … of switch …'");
  EXPECT_EQ(error_in(replaced(dump, "0x0004 001", "lid 4: 001")),
            "lfts:2: expected 'Unicast lids …', an entry ('0x0004 001 …') or '… lids dumped', not 'lid 4: 001 # "
            "Channel Adapter portguid 0x'");
  EXPECT_EQ(error_in("Multicast mlids [0xc000-0xc3ff] of switch Lid 8 guid 0x200000 (S-1):\n"),
            "lfts:1: these are multicast tables; expected 'Unicast lids …'");
}

TEST(ParseTables, RefusesFilesThatLackARouter) {
  const std::string dump = sample("opensm-lfts.dump");
  EXPECT_EQ(error_in(dump.substr(0, dump.rfind("Unicast"))),
            "lfts: there is no table of 'S-4', guid 0x0000000000200003");
  EXPECT_EQ(error_in(dump.substr(0, dump.rfind("0x001b"))),
            "lfts:67: this block has no end ('… lids dumped'): the file is cut off");
  EXPECT_EQ(error_in(replaced(sample("dump_lfts"), "0x0005", "#")),
            "lfts:24: the block has 19 entries, but says 20: the file is damaged");
  EXPECT_EQ(error_in(""), "lfts: no forwarding table in it; expected 'Unicast lids …', as OpenSM and dump_lfts write");
}

TEST(ParseTables, RefusesLidsOfAPortThatNoLmcCovers) {
  const std::string text = replaced(sample("opensm-lfts.dump"), "0x0007 001", "0x4004 001");
  EXPECT_EQ(error_in(text), "lfts: 'H-1' port 1 has the LIDs 0x0004 and 0x4004, which no LMC makes one range");
}

}  // namespace
}  // namespace ayatori
