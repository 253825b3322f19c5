#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "../../../base/thoroughness_fixtures.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "ayatori/sources/source.hpp"
#include "network_text_fixtures.hpp"
#include "random_subnet_fixtures.hpp"

namespace ayatori {
namespace {

std::string written(const Network& network) {
  std::string text;
  write_ibnetdiscover(network, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(WriteIbnetdiscover, ReadingBackGivesTheSameNetwork) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Network network = RandomSubnet(seed, false).build();
    const auto again = parse_ibnetdiscover(written(network), "written", "");
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(network_text(*again), network_text(network));
  }
}

TEST(WriteIbnetdiscover, FormulasReadBackAsTheSameNetwork) {
  for (const std::string_view formula : {"fattree:K=6,levels=2,nodes=30", "fattree:K=4,levels=3",
                                         "xgft:h=2;m=4,4;w=2,2;p=1,2", "torus:3x4x5", "mesh:2x3", "full:8,hosts=4"}) {
    const auto network = open_source(formula);
    ASSERT_TRUE(network) << network.error().message;
    const auto again = parse_ibnetdiscover(written(*network), formula, "");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(network_text(*again), network_text(*network)) << formula;
  }
}

TEST(WriteIbnetdiscover, EveryTruncationIsRefusedOrLosesNothing) {
  for (std::uint64_t seed = 1; seed <= test::tries(1U, 3U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Network network = RandomSubnet(seed, false).build();
    const std::string text = written(network);
    const std::string whole = network_text(network);
    for (std::size_t length = 0; length < text.size(); ++length) {
      const auto cut = parse_ibnetdiscover(std::string_view(text).substr(0, length), "cut", "");
      if (!cut) continue;
      ASSERT_EQ(network_text(*cut), whole) << "cut after " << length << " bytes";
    }
  }
}

TEST(WriteIbnetdiscover, LinesFitIbsimsBuffer) {
  const Network network = RandomSubnet(1, false).build();
  const std::string text = written(network);
  for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
    EXPECT_LT(text.find('\n', from) - from, 254);
  }
}

TEST(WriteIbnetdiscover, DevicesWithoutGuidAreNumberedAsIbsimDoes) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R0", 0, 4);
  builder.add_router("R1", 0x200000, 4);
  const auto a = builder.add_nic("H0 mlx5_0", 0, 2, "H0", 0);
  const auto b = builder.add_nic("H1 mlx5_0", 0, 2, "H1", 0);
  const LinkRate rate{4, LaneSpeed::qdr};
  ASSERT_TRUE(builder.connect(router, 1, a, 1, rate));
  ASSERT_TRUE(builder.connect(router, 2, b, 2, rate));
  const Network network = *builder.build();
  const auto again = parse_ibnetdiscover(written(network), "written", "");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->device(0).guid, 0x200001);
  EXPECT_EQ(again->device(2).guid, 0x100000);
  EXPECT_EQ(again->device(3).guid, 0x100003);
  EXPECT_EQ(written(*again), written(network));
}

TEST(WriteIbnetdiscover, OnlyTheInfiniBandPlaneIsWritten) {
  NetworkBuilder builder;
  builder.begin_plane("ethernet");
  builder.add_router("eth", 0x1, 4);
  builder.begin_plane("infiniband");
  builder.add_router("ib", 0x2, 4);
  const auto again = parse_ibnetdiscover(written(*builder.build()), "written", "");
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->device_count(), 1);
  EXPECT_EQ(again->name(0), "ib");
}

}  // namespace
}  // namespace ayatori
