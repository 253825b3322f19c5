#include "ayatori/aries/aries.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "../read_fixtures.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/shape.hpp"
#include "tile_line.hpp"

namespace ayatori {
namespace {

const std::string two_groups = AYATORI_SOURCE_DIR "/tests/golden/aries/two-groups.txt";

std::string error_in(std::string_view text) { return error_of(parse_aries(text, "f")); }

/// Cables between routers, as "R port -> R port", from the router with the lower id.
std::set<std::string> router_cables(const Network& network) {
  std::set<std::string> found;
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.peer < id || !network.is_router(network.port(port.peer).device)) continue;
    found.insert(network.describe_link(id));
  }
  return found;
}

TEST(ParseAries, ReadsTheCablesAndNodesOfTwoGroups) {  // of two chassis with three blades each
  const auto network = open_aries(two_groups);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->router_count(), 12U);
  EXPECT_EQ(network->machines().size(), 46U);  // a blade has two nodes only
  EXPECT_EQ(network->planes().front().name, "aries");
  // Green: 3 in each of 4 chassis. Black: 3 parallel cables between the blades of 2 × 3 slots. Blue: 3.
  EXPECT_EQ(router_cables(*network).size(), 12U + 18U + 3U);
  EXPECT_EQ(network->link_count(), 12U + 18U + 3U + 46U);
  EXPECT_TRUE(router_cables(*network).contains("c0-0c0s0a0 port 1 -> c0-0c0s1a0 port 1"));
  EXPECT_TRUE(router_cables(*network).contains("c0-0c0s0a0 port 6 -> c1-0c1s0a0 port 6"));
  EXPECT_TRUE(network->warnings().empty());
  const auto node = network->find_machine("c1-0c1s1n3");
  ASSERT_TRUE(node);
  const Port& peer = network->port(network->port(network->machine(*node).endpoints.front()).peer);
  EXPECT_EQ(network->name(peer.device), "c1-0c1s1a0");
  EXPECT_EQ(peer.number, 47);
}

TEST(ParseAries, AListOfCablesAloneGetsFourNodesPerAries) {
  const auto network = parse_aries("c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l17\n", "f");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->machines().size(), 8U);
  EXPECT_EQ(router_cables(*network), std::set<std::string>{"c0-0c0s0a0 port 1 -> c0-0c0s1a0 port 16"});
}

TEST(ParseAries, LinesWithoutTilesAreSkippedWithAWarning) {
  const auto network = parse_aries("smw:~> rtr --interconnect\n# a comment\nc0-0c0s0a0l50 ptile -> processor\n", "f");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->warnings().size(), 1U);
  EXPECT_EQ(network->warnings().front(), "f:1: skipped, not a tile: \"smw:~> rtr --interconnect\"");
}

TEST(ParseAries, AListWithoutHostsIsRefused) {
  const auto network = parse_aries("c0-0c0s0a0l02(0:0:2) ptile -> processor\n", "f");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, "f: no processor tile is listed, so there are no hosts");
}

TEST(ParseAries, EveryTruncationIsRefusedOrLosesNothingButProcessorTiles) {
  const std::string text = read_file(two_groups).value();
  const auto whole = router_cables(parse_aries(text, "f").value());
  LineReader lines(text);
  std::size_t length = 0;
  while (const auto line = lines.next()) {
    length += line->size() + 1;
    const auto cut = parse_aries(std::string_view(text).substr(0, length), "f");
    // Up to the first tile without a cable, the text could be a list of cables.
    if (cut && lines.line() > 6) EXPECT_EQ(router_cables(*cut), whole) << lines.line();
    // A line that is cut in its name, colour or arrow is refused.
    if (line->contains("green")) {
      EXPECT_FALSE(parse_aries(std::string_view(text).substr(0, length - line->size() / 2), "f")) << lines.line();
    }
  }
}

TEST(ParseAries, ErrorsNameFileLineAndWhatWasExpected) {
  EXPECT_EQ(error_in(""), "f: expected tiles like 'c0-0c0s0a0l00 green -> c0-0c0s6a0l10'");
  EXPECT_EQ(error_in("c0-0c0s0a0l60 green -> unused"),
            "f:1: expected a tile like c0-0c0s6a0l10 instead of 'c0-0c0s0a0l60'");
  EXPECT_EQ(error_in("c0-0c0s0a0l08 green -> unused"),
            "f:1: expected a tile like c0-0c0s6a0l10 instead of 'c0-0c0s0a0l08'");
  EXPECT_EQ(error_in("c0-0c0s0a0l00(0:0 green -> unused"),
            "f:1: expected a tile like c0-0c0s6a0l10 instead of 'c0-0c0s0a0l00(0:0'");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 red -> unused"), "f:1: expected green, black, blue or ptile instead of 'red'");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green unused"), "f:1: expected '->' instead of 'unused'");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green -> processor"), "f:1: expected a tile or 'unused' instead of 'processor'");
  EXPECT_EQ(error_in("c0-0c0s0a0l50 ptile -> c0-0c0s0a0l51"),
            "f:1: expected 'processor' or 'unused' instead of 'c0-0c0s0a0l51'");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green -> unused x"), "f:1: expected the end of the line instead of 'x'");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green -> c0-0c0s0a0l00"), "f:1: 'c0-0c0s0a0' port 1 is cabled to itself");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green -> unused\nc0-0c0s0a0l00 green -> unused\n"),
            "f:2: the tile is listed a second time, first in line 1");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green -> c0-0c0s1a0l00\nc0-0c0s1a0l00 green -> unused\n"),
            "f:1: a cable to 'c0-0c0s1a0' port 1, for which line 2 lists another end");
  EXPECT_EQ(error_in("c0-0c0s0a0l00 green -> c0-0c0s1a0l00\nc0-0c0s1a0l00 green -> c0-0c0s0a0l00\n"
                     "c0-0c0s0a0l01 green -> c0-0c0s1a0l01\n"),
            "f:3: a cable whose other end is not listed");
  EXPECT_EQ(error_in("c0-0c0s0a0l40 green -> c0-0c0s1a0l50\n"),
            "f: 'c0-0c0s1a0' port 41 has two cables: to 'c0-0c0s0a0' port 33 and to 'c0-0c0s1n0' port 1");
  EXPECT_EQ(error_of(open_aries("")), "aries: no file is given");
}

/// What `rtr --interconnect` would list of the cables of a Cray XC: each group two cabinets of 3 chassis with 16
/// blades, a router joined to all of its chassis, three times to all of its slot, and one cable between any two groups.
std::string interconnect_of(std::size_t groups) {
  constexpr std::size_t chassis = 6;
  constexpr std::size_t slots = 16;
  constexpr std::size_t routers = chassis * slots;
  std::vector<int> used(groups * routers);
  std::string text;
  const auto tile = [&](std::size_t i) {
    const std::size_t row = i / slots % chassis;
    const int number = used[i]++;
    return fmt::format("c{}-0c{}s{}a0l{}{}", i / routers * 2 + row / 3, row % 3, i % slots, number / 8, number % 8);
  };
  const auto join = [&](std::size_t a, std::size_t b, const char* colour) {
    const std::string from = tile(a);
    text += fmt::format("{} {} -> {}\n", from, colour, tile(b));
  };
  for (std::size_t a = 0; a < groups * routers; ++a) {
    for (std::size_t b = a + 1; b / routers == a / routers; ++b) {
      if (a / slots == b / slots) join(a, b, "green");
      for (int cable = 0; cable < (a % slots == b % slots ? 3 : 0); ++cable) join(a, b, "black");
    }
  }
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < a; ++b) join(a * routers + 11 * b, b * routers + 11 * a + 1, "blue");
  }
  return text;
}

TEST(ParseAries, ACrayXcIsRecognisedAsADragonfly) {
  const auto network = parse_aries(interconnect_of(4), "f");
  ASSERT_TRUE(network) << network.error().message;
  const Shape shape = recognise(*network);
  EXPECT_EQ(shape.summary,
            "dragonfly, 4 groups of 96 routers as HyperX 16x6, 1 and 3 cables a pair, 1 cable between two groups, 1536 "
            "hosts with 1 rail");
  EXPECT_TRUE(shape.irregularities.empty());
}

TEST(ReadTileLine, NumbersPortsByRowAndColumn) {
  const auto line = aries::read_tile_line("c11-2c2s15a0l57(5:2:15) ptile -> processor");
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->tile.router, "c11-2c2s15a0");
  EXPECT_EQ(line->tile.blade, "c11-2c2s15");
  EXPECT_EQ(line->tile.port, 48);
  EXPECT_EQ(line->leads, aries::TileLine::Leads::to_processor);
}

}  // namespace
}  // namespace ayatori
