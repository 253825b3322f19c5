#include "ayatori/artefacts/plan_file.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "artefact_fixtures.hpp"
#include "ayatori/artefacts/pair_plan_file.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"

namespace ayatori {
namespace plan_file_test {

using Companions = std::map<std::string, std::string, std::less<>>;

Result<PlanFile> parsed(std::string_view text, const Companions& companions = {}) {
  return parse_plan_file(text, "p.json", [&](std::string_view name) -> Result<std::string> {
    const auto found = companions.find(name);
    if (found == companions.end()) return fail("there is no {}", name);
    return found->second;
  });
}

std::string error_of(std::string_view text, const Companions& companions = {}) {
  const auto file = parsed(text, companions);
  return file ? "no error" : file.error().message;
}

std::string packed(const Plan& plan) {
  std::string bytes;
  write_pair_plan(plan, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

PlanFile random_file(Method method, Random& random) {
  PlanFile file;
  file.reason = "a reason with \"quotes\", a \\ and an é";
  file.lmc = static_cast<int>(random.below(8));
  file.of_nics = random.below(2) == 1;
  file.tables = fmt::format("{:016x}", random.below(1U << 31));
  for (std::uint64_t i = 1 + random.below(5); i > 0; --i) {
    file.machines.push_back({fmt::format("n{}", i), static_cast<std::uint32_t>(1 + random.below(4))});
    for (std::uint32_t rank = 0; rank < file.machines.back().ranks; ++rank) {
      file.ranks.push_back({random.below(1U << 31), static_cast<Lid>(1 + random.below(last_unicast_lid - 127))});
    }
  }
  const auto ranks = static_cast<Rank>(file.ranks.size());
  std::vector<std::uint8_t> path_bits(method == Method::pair ? std::size_t{ranks} * ranks : ranks);
  for (auto& bits : path_bits) bits = static_cast<std::uint8_t>(random.below(128));
  file.plan = method == Method::pair ? Plan::per_pair(ranks, std::move(path_bits))
                                     : Plan::per_destination(method, std::move(path_bits));
  return file;
}

TEST(ParsePlanFile, GivesBackWhatPlanFileTextWrote) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const PlanFile file = random_file(static_cast<Method>(seed % 4), random);
    const auto read = parsed(plan_file_text(file, "c.pairs"), {{"c.pairs", packed(file.plan)}});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, file);
  }
}

TEST(ReadPlanFile, FindsTheCompanionInTheFolderOfThePlan) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "plan_file_test";
  std::filesystem::create_directories(folder);
  Random random(7);
  const PlanFile file = random_file(Method::pair, random);
  ASSERT_TRUE(write_plan_file(file, folder / "job.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "job.json.pairs"));
  const auto read = read_plan_file(folder / "job.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, file);
  std::filesystem::remove_all(folder);
}

constexpr std::string_view written = R"({
 "format": "ayatori-plan",
 "version": 1,
 "method": "base-lids",
 "reason": "base LIDs for everybody",
 "lmc": 2,
 "tables": "00000000075bcd15",
 "machines": [{"host": "N5", "ranks": 1}, {"host": "N6", "ranks": 1}],
 "ranks": [
  {"port_guid": "0x0000000000000031", "base_lid": 24, "path_bits": 0, "lid": 24},
  {"port_guid": "0x0000000000000041", "base_lid": 28, "path_bits": 3, "lid": 31}
 ]
}
)";

std::string with(std::string_view from, std::string_view to) { return replaced(std::string(written), from, to); }

TEST(ParsePlanFile, ReadsWhatTheDocumentationDescribes) {
  const auto read = parsed(written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->plan.method(), Method::base_lids);
  EXPECT_EQ(read->plan.path_bits(0, 1), 3);
  EXPECT_EQ(read->tables, "00000000075bcd15");
  EXPECT_EQ(read->machines, (std::vector<JobHost>{{"N5", 1}, {"N6", 1}}));
  EXPECT_EQ(read->ranks[1], (RankAddress{0x41, 28}));
  EXPECT_EQ(error_of(with("\"base-lids\"", "\"base\"")), "p.json: /method: expected base-lids, rule, colour or pair");
  const auto again = parsed(plan_file_text(*read, ""));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *read);
}

TEST(ParsePlanFile, ErrorsNameThePlaceAndWhatWasExpected) {
  EXPECT_TRUE(error_of("{\n oops").starts_with("p.json:2: ")) << error_of("{\n oops");
  EXPECT_EQ(error_of("[]"), "p.json: /: expected a plan: an object with the format \"ayatori-plan\"");
  EXPECT_EQ(parsed("{}").error().hint, "`ayatori plan SOURCE --job HOSTFILE --out FILE` writes one");
  EXPECT_EQ(error_of(with("\"version\": 1", "\"version\": 3")),
            "p.json: /: version 3 of the format ayatori-plan; this program reads version 1");
  EXPECT_EQ(error_of(with("\"version\": 1", "\"version\": \"1\"")),
            "p.json: /version: expected a whole number, 1 or more");
  EXPECT_EQ(error_of(with("\"lmc\": 2", "\"lmc\": 8")), "p.json: /lmc: expected a whole number from 0 to 7");
  EXPECT_EQ(error_of(with("\"lmc\": 2,", "")), "p.json: /: expected a member 'lmc'");
  EXPECT_EQ(error_of(with("\"host\": \"N6\"", "\"host\": \"\"")),
            "p.json: /machines/1/host: expected a string that is not empty");
  EXPECT_EQ(error_of(with("\"ranks\": 1", "\"ranks\": 0")),
            "p.json: /machines/0/ranks: expected a whole number from 1 to 16777216");
  EXPECT_EQ(error_of(with("\"ranks\": 1", "\"ranks\": 2")), "p.json: /ranks: 2 entries, but the machines have 3 ranks");
  EXPECT_EQ(error_of(with("\"ranks\": 1", "\"ranks\": 16777216")),
            "p.json: /machines/1: more than 16777216 ranks together with those before");
  EXPECT_EQ(error_of(with("0x0000000000000031", "31")),
            "p.json: /ranks/0/port_guid: expected a GUID like \"0x0002c90300a1b2c3\"");
  EXPECT_EQ(error_of(with("\"lmc\": 2,", "\"lmc\": 2, \"of_nics\": 1,")), "p.json: /of_nics: expected true or false");
  EXPECT_EQ(error_of(with("\"base_lid\": 24", "\"base_lid\": 0")),
            "p.json: /ranks/0/base_lid: expected a whole number from 1 to 49151");
  EXPECT_EQ(error_of(with("\"path_bits\": 3", "\"path_bits\": 128")),
            "p.json: /ranks/1/path_bits: expected a whole number from 0 to 127");
  EXPECT_EQ(error_of(with("\"lid\": 31", "\"lid\": 30")), "p.json: /ranks/1/lid: expected base_lid + path_bits, 31");
}

TEST(ParsePlanFile, RefusesCompanionsThatDoNotFit) {
  const std::string good = packed(Plan::per_pair(2, {0, 1, 2, 3}));
  const std::string checksum = fmt::format("\"pairs_crc32\": \"{:#010x}\"", checksum_of_pair_plan(good));
  const std::string text = with("\"base-lids\"", "\"pair\", \"pairs\": \"c.pairs\", " + checksum);
  EXPECT_EQ(error_of(text, {{"c.pairs", good}}), "no error");
  EXPECT_EQ(error_of(text), "p.json: its companion 'c.pairs' can't be read");
  EXPECT_EQ(error_of(text, {{"c.pairs", good.substr(1)}}), "p.json: its companion 'c.pairs' can't be read");
  EXPECT_EQ(error_of(text, {{"c.pairs", packed(Plan::per_pair(1, {0}))}}),
            "p.json: 2 ranks, but its companion 'c.pairs' has the paths of 1");
  EXPECT_EQ(error_of(text, {{"c.pairs", packed(Plan::per_pair(2, {0, 1, 2, 1}))}}),
            "p.json: 'c.pairs' is now the companion of another plan");
  EXPECT_EQ(error_of(with("\"base-lids\"", "\"pair\", \"pairs\": \"c.pairs\", \"pairs_crc32\": \"cafe\"")),
            "p.json: /pairs_crc32: expected a checksum like \"0x0badcafe\"");
  EXPECT_EQ(error_of(with("\"base-lids\"", "\"pair\"")), "p.json: /: expected a member 'pairs'");
  for (const char* elsewhere : {"/etc/passwd", "../c.pairs", "..", "."}) {
    EXPECT_EQ(error_of(with("\"base-lids\"", fmt::format("\"pair\", \"pairs\": \"{}\"", elsewhere))),
              "p.json: /pairs: expected the name of a file in the folder of the plan");
  }
}

}  // namespace plan_file_test
}  // namespace ayatori
