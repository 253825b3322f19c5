#include "ayatori/artefacts/choice_table.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "artefact_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {
namespace choice_table_test {

std::string error_of(std::string_view text) { return refusal_of(parse_choice_table, text); }

/// The same choices as if they had been measured, some of them with the MPI's own as the fastest.
ChoiceTable measured(ChoiceTable table, std::uint64_t seed) {
  table.source = table.method = "";
  table.model = {};
  table.measured = {"n1: a processor, 2 cores", "Open MPI 4.1.4", "2026-11-27", seed};
  for (CollectiveChoice& choice : table.collectives) choice.intervals.front().algorithm = the_mpis_own;
  return table;
}

/// Tables for any of the collectives, with intervals of any length.
ChoiceTable random_table(Random& random) {
  ChoiceTable table{"fattree:K=2", {{"a", 2}, {"b", 1}}, "pair", {}, {}, {}};
  CommunicationCosts costs;
  costs.inside = {1e-7, {{0, 1e-7 / 3, 0}}, {}, 0, random.below(1U << 20), 1e-6, 0};
  costs.between.send = {{0, 1e-6, 0}, {4097, 0, 1e-10}};
  costs.between.bandwidth = 2.5;
  costs.reduce = {{0, 0, 1e-9 / 3}};
  costs.cache_refill = {{0, 1e-9 / 7, 1e-10}};
  costs.cores = 4;
  costs.scheduling_delay = {{0, 1e-6 / 3, 0}, {65, 0, 1e-10}};
  costs.start_skew = 1e-5 / 3;
  costs.oversubscription = {{0, 1e-7 / 3, 1e-10}};
  costs.start = 1e-7 / 3;
  table.model = {random.below(2) == 0 ? "drift" : "synchronous", 1e9, 1e-6 / 3, true, "assumed for 4xHDR", costs};
  std::map<std::string, CollectiveChoice> choices;
  for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
    const Algorithm& algorithm = algorithms()[random.below(algorithms().size())];
    const std::string collective(to_word(algorithm.collective));
    CollectiveChoice choice{collective, {4}, {}};
    Bytes first = 0;
    for (std::uint64_t more = random.below(4); more > 0; --more) {
      const Bytes last = first + random.below(1000);
      choice.intervals.push_back({first, last, std::string(algorithm.name), random.below(2) * 4096});
      choice.sampled.push_back(choice.sampled.back() + 1 + random.below(100));
      first = last + 1;
    }
    choice.intervals.push_back({first, std::nullopt, std::string(algorithm.name), 0});
    choices[collective] = choice;
  }
  for (const auto& [name, choice] : choices) table.collectives.push_back(choice);
  if (random.below(2) == 0) return measured(std::move(table), random.below(1000));
  return table;
}

TEST(ParseChoiceTable, GivesBackWhatChoiceTableTextWrote) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const ChoiceTable table = random_table(random);
    const auto read = parse_choice_table(choice_table_text(table), "t.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, table);
  }
}

TEST(ChoiceTableFind, GivesTheIntervalThatHasTheSize) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const ChoiceTable table = random_table(random);
    for (const CollectiveChoice& choice : table.collectives) {
      for (Bytes size = 0; size < 3000; size += 1 + random.below(50)) {
        const SizeInterval* found = table.find(choice.collective, size);
        ASSERT_NE(found, nullptr);
        EXPECT_LE(found->first, size);
        EXPECT_TRUE(!found->last || size <= *found->last);
      }
    }
    EXPECT_EQ(table.find("dance", 1), nullptr);
  }
}

TEST(ChoiceTable, KeepsNamesOfOthersAlgorithmsAsTheyAre) {
  Random random(3);
  ChoiceTable table = random_table(random);
  table.collectives = {
      {"allreduce", {8}, {{0, 7, "library:/opt/mine.so:fast", 0}, {8, std::nullopt, "file:a b.json", 0}}}};
  const auto again = parse_choice_table(choice_table_text(table), "t.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, table);
}

constexpr std::string_view written = R"({
 "format": "ayatori-choice", "version": 1,
 "source": "fattree:K=6,levels=2,nodes=30",
 "machines": [{"host": "N5", "ranks": 2}, {"host": "N6", "ranks": 2}],
 "method": "base-lids",
 "model": {"steps": "drift", "link_bandwidth": 1716000000.0, "link_latency": 5e-07,
           "head_of_line": false, "costs_from": "given", "copy": [], "reduce": [],
           "inside": {"latency": 0, "send": [], "receive": [], "gap": 0, "eager_limit": 0, "rendezvous": 0, "bandwidth": 0},
           "between": {"latency": 0, "send": [], "receive": [], "gap": 0, "eager_limit": 0, "rendezvous": 0, "bandwidth": 0}},
 "collectives": {
  "alltoall": {
   "sampled": [1024, 1048576],
   "intervals": [
    {"from": 0, "to": 32768, "algorithm": "two-level-ring", "chunk": 0},
    {"from": 32769, "to": null, "algorithm": "shift", "chunk": 16384}
   ]}}})";

std::string with(std::string_view from, std::string_view to) { return replaced(std::string(written), from, to); }

TEST(ParseChoiceTable, ReadsWhatTheDocumentationDescribes) {
  const auto table = parse_choice_table(written, "t.json");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->method, "base-lids");
  EXPECT_EQ(*table->find("alltoall", 32768), (SizeInterval{0, 32768, "two-level-ring", 0}));
  EXPECT_EQ(*table->find("alltoall", 32769), (SizeInterval{32769, std::nullopt, "shift", 16384}));
  EXPECT_EQ(table->model, ChoiceModel("drift", 1716e6, 5e-7, false, "given", {}));
  EXPECT_EQ(error_of(with("\"method\": \"base-lids\"", "\"method\": \"modk\"")),
            "f.json: /method: expected base-lids, rule, colour, pair, dimension-order, adaptive or ecmp");
}

TEST(ParseChoiceTable, ErrorsInCostsNameTheirPlace) {
  Random random(1);
  const std::string text = choice_table_text(random_table(random));
  const auto with = [&text](std::string_view from, std::string_view to) { return replaced(text, from, to); };
  EXPECT_EQ(error_of(with("\"bandwidth\": 2.5", "\"bandwidth\": -1")),
            "f.json: /model/between/bandwidth: expected a number, 0 or more");
  EXPECT_EQ(error_of(with("\"from\": 4097", "\"from\": 0")),
            "f.json: /model/between/send/1: expected lines with rising sizes 'from'");
  EXPECT_EQ(error_of(with("\"copy\": [],", "")), "f.json: /model: expected a member 'copy'");
  EXPECT_EQ(error_of(with("assumed for 4xHDR", "")), "f.json: /model/costs_from: expected a string that is not empty");
}

TEST(ParseChoiceTable, ErrorsNameThePlaceAndWhatWasExpected) {
  const std::string interval = "f.json: /collectives/alltoall/intervals/";
  EXPECT_EQ(error_of(with("ayatori-choice", "ayatori-plan")),
            "f.json: /: expected a choice table: an object with the format \"ayatori-choice\"");
  EXPECT_EQ(error_of(with("\"version\": 1", "\"version\": 0")), "f.json: /version: expected a whole number, 1 or more");
  EXPECT_EQ(error_of(with("\"version\": 1", "\"version\": 3")),
            "f.json: /: version 3 of the format ayatori-choice; this program reads version 1");
  EXPECT_EQ(error_of(with("\"drift\"", "\"fast\"")), "f.json: /model/steps: expected drift or synchronous");
  EXPECT_EQ(error_of(with("\"copy\": []", "\"copy\": [], \"speed\": 1")), "f.json: /model/speed: no member of a model");
  EXPECT_EQ(error_of(with("\"alltoall\"", "\"dance\"")), "f.json: /collectives/dance: no collective has this name");
  EXPECT_EQ(error_of(with("[1024, 1048576]", "[4, 2]")),
            "f.json: /collectives/alltoall/sampled/1: expected sizes in bytes, each larger than the one before");
  EXPECT_EQ(error_of(with("\"from\": 0", "\"from\": 1")), interval + "0/from: expected 0");
  EXPECT_EQ(error_of(with("\"from\": 32769", "\"from\": 9")), interval + "1/from: expected 32769");
  EXPECT_EQ(error_of(with("\"to\": 32768", "\"to\": null")),
            interval + "1: expected no interval after the one without an end");
  EXPECT_EQ(error_of(with("\"to\": null", "\"to\": 40000")),
            interval + "1/to: expected null in the last interval, for all larger sizes");
  EXPECT_EQ(error_of(with("\"to\": null, ", "")), interval + "1: expected a member 'to'");
  EXPECT_EQ(error_of(with("\"shift\"", "\"chain\"")),
            interval + "1/algorithm: expected the name of an algorithm for alltoall");
  EXPECT_EQ(error_of(with("\"chunk\": 0", "\"chunk\": true")),
            interval + "0/chunk: expected a whole number, 0 or more");
}

ChoiceTable table_for(std::vector<JobHost> machines) {
  return {"fattree:K=2", std::move(machines), "pair", {}, {}, {}};
}

using Ranks = std::vector<std::uint32_t>;
using Hosts = std::vector<std::string>;

TEST(WhyForAnotherJob, AJobOnTheTablesHostsMayUseIt) {
  const ChoiceTable table = table_for({{"n1", 2}, {"n2.cluster", 1}});
  EXPECT_EQ(why_for_another_job(table, Ranks{0, 0, 1}, Hosts{"n1", "n2.cluster"}), "");
  EXPECT_EQ(why_for_another_job(table, Ranks{0, 0, 1}, Hosts{"N1.cluster", "n2"}), "") << "as hostfiles name hosts";
  EXPECT_EQ(why_for_another_job(table, Ranks{0, 0, 1}, {}), "") << "names are not known";
}

TEST(WhyForAnotherJob, NamesTheFirstDifference) {
  const ChoiceTable table = table_for({{"n1", 2}, {"n2", 2}});
  const auto why = [&](const Ranks& ranks, const Hosts& hosts) { return why_for_another_job(table, ranks, hosts); };
  EXPECT_EQ(why({0, 0, 1}, {"n1", "n2"}), "it was made for 4 ranks, and these are 3");
  EXPECT_EQ(why({0, 0, 1, 1}, {"n1", "n7"}), "it was made for other hosts: rank 2 runs on n7, and in the table on n2");
  EXPECT_EQ(why({0, 0, 1, 1}, {"n2", "n1"}), "it was made for other hosts: rank 0 runs on n2, and in the table on n1");
  EXPECT_EQ(why({0, 1, 0, 1}, {"n1", "n2"}), "it was made for other hosts: rank 1 runs on n2, and in the table on n1");
  EXPECT_EQ(why({0, 0, 1, 2}, {}), "it was made for a job with other numbers of ranks on its machines");
  const ChoiceTable addresses = table_for({{"10.0.0.1", 1}});
  EXPECT_NE(why_for_another_job(addresses, Ranks{0}, Hosts{"10.0.0.2"}), "") << "an address has no short form";
}

TEST(WhyForAnotherJob, TakesCyclicPlacements) {
  const ChoiceTable table = table_for({{"n1", 1}, {"n2", 1}, {"n1", 1}, {"n2", 2}});
  EXPECT_EQ(why_for_another_job(table, Ranks{0, 1, 0, 1, 1}, Hosts{"n1", "n2"}), "");
  EXPECT_EQ(why_for_another_job(table, Ranks{0, 1, 0, 1, 1}, {}), "");
  EXPECT_NE(why_for_another_job(table, Ranks{0, 0, 1, 1, 1}, {}), "");
}

TEST(WhyForAnotherJob, LocalhostIsTheOneMachineOfAJob) {
  EXPECT_EQ(why_for_another_job(table_for({{"localhost", 2}}), Ranks{0, 0}, Hosts{"n1"}), "");
  EXPECT_EQ(why_for_another_job(table_for({{"localhost.localdomain", 2}}), Ranks{0, 0}, Hosts{"n1"}), "");
  EXPECT_NE(why_for_another_job(table_for({{"localhost", 1}, {"n2", 1}}), Ranks{0, 1}, Hosts{"n1", "n2"}), "");
}

}  // namespace choice_table_test
}  // namespace ayatori
