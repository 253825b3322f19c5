#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>

#include "ayatori/base/random.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/network/job.hpp"

namespace ayatori {
namespace rankfile_test {

/// The hosts by rank; the message if they can't be read.
std::string read(std::string_view text) {
  const auto hosts = parse_hostfile(text, "ranks");
  if (!hosts) return hosts.error().message;
  std::vector<std::string> words;
  for (const HostEntry& entry : *hosts) {
    EXPECT_EQ(entry.slots, 1U);
    words.push_back(entry.host);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

TEST(ParseRankfile, ReadsOpenMpisExamples) {
  EXPECT_EQ(read("rank 0=aa slot=1:0-2\nrank 1=bb slot=0:0,1\nrank 2=cc slot=1-2\n"), "aa bb cc");
  EXPECT_EQ(read("rank 0=aa slot=*:0\nrank 1=aa slot=p3:*\n"), "aa aa");
}

TEST(ParseRankfile, RanksAreInTheirOwnOrder) {
  EXPECT_EQ(read("rank 2=c slot=0\nrank 0=a slot=1\nrank 1=b slot=0\n"), "a b c");
  EXPECT_EQ(read("rank 1=a slot=1\nrank 3=a slot=3\nrank 0=b slot=0\nrank 2=b slot=2\n"), "b a b a");
}

TEST(ParseRankfile, ReadsCommentsBlanksAndUsers) {
  EXPECT_EQ(
      read("# made by hand\n\n\trank  0 = me@n1.cluster  slots = 0:1 # first\r\nrank 1=10.1.71.103 // any core\n"),
      "n1.cluster 10.1.71.103");
}

TEST(ParseRankfile, AHostThatIsCalledRankIsAHost) {
  EXPECT_EQ(parse_hostfile("rank\n", "hosts").value().front().host, "rank");
  EXPECT_EQ(parse_hostfile("rank 4\n", "hosts").value().front().slots, 4U);
  EXPECT_EQ(parse_hostfile("rank slots=4\n", "hosts").value().front().slots, 4U);
}

TEST(ParseRankfile, ErrorsNameFileLineAndRank) {
  EXPECT_EQ(read("rank 0=a slot=0\nrank 2=b slot=0\n"), "ranks: rank 1 is not listed, but rank 2 in line 2");
  EXPECT_EQ(read("rank 1=a slot=0\n"), "ranks: rank 0 is not listed, but rank 1 in line 1");
  EXPECT_EQ(read("rank 0=a slot=0\nrank 1=b slot=0\n\nrank 0=b slot=1\n"),
            "ranks:4: rank 0 is listed twice, first in line 1");
  EXPECT_EQ(read("rank 0=a slot=0\nn2 slots=3\n"),
            "ranks:2: expected 'rank N=HOST slot=…', as in the lines before, instead of 'n2'");
  EXPECT_EQ(read("rank 0=a slot=0\nrank x=b slot=0\n"), "ranks:2: expected a rank from 0 to 16777215 instead of 'x'");
  EXPECT_EQ(read("rank 0=a slot=0\nrank 4294967296=b\n"),
            "ranks:2: expected a rank from 0 to 16777215 instead of '4294967296'");
  EXPECT_EQ(read("rank 0=a slot=0\nrank 1 b slot=0\n"), "ranks:2: expected '=' after rank 1");
  EXPECT_EQ(read("rank 0=a core=0\n"), "ranks:1: expected slot=… after the host of rank 0 instead of 'core'");
  EXPECT_EQ(read("rank 0=\n"), "ranks:1: expected a host name of rank 0");
  EXPECT_EQ(read("rank 0=n[1-2] slot=0\n"), "ranks:1: expected one host of rank 0 instead of 'n[1-2]'");
  const auto relative = parse_hostfile("rank 0=+n0 slot=0\n", "ranks");
  ASSERT_FALSE(relative);
  EXPECT_EQ(relative.error().message,
            "ranks:1: '+n0' counts hosts from the first of an allocation that is not known here");
  EXPECT_EQ(relative.error().hint, "rank N=HOST with the name of the host");
}

TEST(ParseRankfile, AnyOrderOfTheLinesIsTheSameJob) {
  NetworkBuilder builder;
  const auto leaf = builder.add_router("leaf", 0x1000, 16);
  for (PortNumber port = 1; port <= 8; ++port) {
    const std::string name = fmt::format("n{}", port);
    const auto nic = builder.add_nic(name, 0x100U * port, 1, name, 0);
    ASSERT_TRUE(builder.connect(nic, 1, leaf, port, {}));
  }
  const Network network = *builder.build();
  constexpr std::array<std::string_view, 4> endings = {"", " slot=0:1", " slots=3", "\tslot = p1-4 # bound"};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::string plain;  // a line a rank
    std::vector<std::string> lines;
    const std::uint64_t count = 1 + random.below(40);
    for (std::uint64_t rank = 0; rank < count; ++rank) {
      const std::string host = fmt::format("n{}", 1 + random.below(8));
      plain += host + "\n";
      lines.push_back(fmt::format("rank {}={}{}\n", rank, host, endings[random.below(endings.size())]));
    }
    random.shuffle(std::span(lines));
    const auto ranks = parse_hostfile(fmt::format("{}", fmt::join(lines, "")), "ranks");
    const auto hosts = parse_hostfile(plain, "hosts");
    ASSERT_TRUE(ranks) << "seed " << seed << ": " << ranks.error().message;
    const auto job = place_job(network, *ranks, "ranks", 0, RankOrder::as_given);
    const auto same = place_job(network, *hosts, "hosts", 0, RankOrder::as_given);
    ASSERT_TRUE(job && same) << "seed " << seed;
    EXPECT_EQ(job->machine_of_rank, same->machine_of_rank) << "seed " << seed;
  }
}

}  // namespace rankfile_test
}  // namespace ayatori
