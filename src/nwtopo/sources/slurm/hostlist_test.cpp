#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/job.hpp"
#include "described.hpp"

namespace ayatori {
namespace {

using slurm::compress_hostlist;
using Names = std::vector<std::string>;

/// Names as clusters have them: stems with and without numbers inside, padded and unpadded, in runs and alone.
Names random_names(Random& random) {
  constexpr std::array<std::string_view, 5> stems = {"n", "gpu-", "a08-p1-dgx-0", "rack2node", "x"};
  Names names;
  const std::size_t runs = 1 + random.below(6);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::string_view stem = stems[random.below(stems.size())];
    const std::size_t width = random.below(4);
    const std::uint64_t first = random.below(120);
    const std::uint64_t count = 1 + random.below(12);
    if (random.below(8) == 0) names.emplace_back(stem.front() == 'g' ? "login" : stem);
    for (std::uint64_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{:0{}}", stem, first + i, width));
  }
  return names;
}

TEST(CompressHostlist, JoinsRuns) {
  EXPECT_EQ(compress_hostlist({}), "");
  EXPECT_EQ(compress_hostlist({"n1"}), "n1");
  EXPECT_EQ(compress_hostlist({"n0", "n1", "n2"}), "n[0-2]");
  EXPECT_EQ(compress_hostlist({"n1", "n2", "n03", "n9", "n10", "login"}), "n[1-2,03,9-10],login");
  EXPECT_EQ(compress_hostlist({"n08", "n09", "n10"}), "n[08-10]");
  EXPECT_EQ(compress_hostlist({"a1b2", "a1b3", "a2b3"}), "a1b[2-3],a2b3");
  EXPECT_EQ(compress_hostlist({"7", "8"}), "7,8");
  EXPECT_EQ(compress_hostlist({"n1234567890", "n1234567891"}), "n1234567890,n1234567891");
}

TEST(CompressHostlist, ExpandingGivesTheSameNames) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Names names = random_names(random);
    const auto expanded = expand_hostlist(compress_hostlist(names));
    ASSERT_TRUE(expanded) << expanded.error().message;
    ASSERT_EQ(*expanded, names);
  }
}

/// Slurm's own parser, which `scontrol show hostnames` and `show hostlist` run without a controller.
class ScontrolTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("ayatori-scontrol-{}", getpid());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "slurm.conf") << "ClusterName=test\nSlurmctldHost=localhost\n";
    if (run("show hostnames n1").first != 0) GTEST_SKIP() << "scontrol (slurm-client) is not installed";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Exit code and output.
  [[nodiscard]] std::pair<int, std::string> run(const std::string& arguments) const {
    const auto command = fmt::format("SLURM_CONF='{}' scontrol {} 2>&1", (folder_ / "slurm.conf").string(), arguments);
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output.push_back(static_cast<char>(c));
    return {pclose(pipe), output};
  }

  [[nodiscard]] Names hostnames(const std::string& list) const {
    const auto [code, output] = run(fmt::format("show hostnames '{}'", list));
    EXPECT_EQ(code, 0) << output;
    Names names;
    LineReader lines(output);
    while (const auto line = lines.next()) names.emplace_back(*line);
    return names;
  }

  std::filesystem::path folder_;
};

TEST_F(ScontrolTest, ExpandHostlistAgreesWithScontrol) {
  for (const char* list : {"n[0-3,07]", "m[1-2]k[3-4]", "tux[0-3,12,18-20]", "a,b1,c[01-10]", "s[8-11]", "n[007-010]",
                           "r[1-2]n[01-02,5],login"}) {
    EXPECT_EQ(hostnames(list), expand_hostlist(list).value()) << list;
  }
}

TEST_F(ScontrolTest, ScontrolReadsCompressHostlistsOutput) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Names names = random_names(random);
    ASSERT_EQ(hostnames(compress_hostlist(names)), names);
  }
}

TEST_F(ScontrolTest, CompressHostlistAgreesWithScontrol) {
  for (const Names& names : {Names{"n1", "n2", "n3"}, Names{"n08", "n09", "n10", "n11"}, Names{"a-1", "b", "c7"},
                             Names{"n1", "n2", "n03", "n5", "login"}}) {
    EXPECT_EQ(run(fmt::format("show hostlist {}", fmt::join(names, ","))).second, compress_hostlist(names) + "\n");
  }
}

}  // namespace
}  // namespace ayatori
