#include "ayatori/artefacts/running_file.hpp"

#include <gtest/gtest.h>

#include "artefact_fixtures.hpp"

namespace ayatori {
namespace running_file_test {

RunningFile example() {
  RunningFile file;
  file.lmc = 3;
  file.devices = {"0x0000000000000031", "leaf-2"};
  file.jobs = {{"4711", "pair", {{"n1", 1}, {"n2", 2}}, 2, {{0, 7, 2, 0b11}, {1, 12, 1, 0b10}}, "7d1f0c5a2be94e36"},
               {"4710", "pair", {{"n4", 70}}, 69, {{0, 3, 68}}, ""},
               {"4712", "base-lids", {{"n3", 1}}, 0, {}, ""}};
  return file;
}

std::string with(const std::string& from, const std::string& to) {
  return replaced(running_file_text(example()), from, to);
}

std::string refused(const std::string& from, const std::string& to) {
  return refusal_of(parse_running_file, with(from, to));
}

TEST(RunningFile, SurvivesBeingWrittenAndRead) {
  expect_survives_a_file(example(), write_running_file, read_running_file);
}

TEST(RunningFile, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(refusal_of(parse_running_file, "{}"),
            "f.json: /: expected a file of running jobs: an object with the format \"ayatori-running\"");
  EXPECT_EQ(refused("\"version\":1", "\"version\":2"),
            "f.json: /: version 2 of the format ayatori-running; this program reads version 1");
  EXPECT_EQ(refused("\"lmc\":3", "\"lmc\":8"), "f.json: /lmc: expected a whole number from 0 to 7");
  EXPECT_EQ(refused("4712", "4711"), "f.json: /jobs/2: the second job of this name");
  EXPECT_EQ(refused("[1,12,1]", "[2,12,1]"), "f.json: /jobs/0/links/1/0: a device that is not listed");
  EXPECT_EQ(refused("[0,7,2]", "[0,7,3]"), "f.json: /jobs/0/links/0/2: expected a whole number from 1 to 2");
  EXPECT_EQ(refused("[0,7,2]", "[0,7]"), "f.json: /jobs/0/links/0: expected three numbers: device, port, steps");
  EXPECT_EQ(refused("[[0,1],[1]]", "[[0,1]]"), "f.json: /jobs/0/used_in: expected a list of steps for each link");
  EXPECT_EQ(refused("[[0,1],[1]]", "[[0,1],[2]]"), "f.json: /jobs/0/used_in/1/0: expected a whole number from 0 to 1");
  EXPECT_EQ(refused("[[0,1],[1]]", "[[0,1],[1,1]]"),
            "f.json: /jobs/0/used_in/1: expected 1 different steps, as its link says");
  EXPECT_EQ(refused("[0,3,68]]", "[0,3,68]],\"used_in\":[[1]]"),
            "f.json: /jobs/1/used_in: only of jobs of up to 64 steps");
}

TEST(RunningFile, StepsOfLinksMayBeMissing) {
  const auto file = parse_running_file(with(",\"used_in\":[[0,1],[1]]", ""), "running.json");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->jobs[0].links[0].steps, 2U);
  EXPECT_EQ(file->jobs[0].links[0].in_steps, 0U);
}

}  // namespace running_file_test
}  // namespace ayatori
