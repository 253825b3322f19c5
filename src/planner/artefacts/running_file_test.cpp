#include "ayatori/artefacts/running_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace ayatori {
namespace running_file_test {

RunningFile example() {
  RunningFile file;
  file.lmc = 3;
  file.devices = {"0x0000000000000031", "leaf-2"};
  file.jobs = {{"4711", "pair", {{"n1", 1}, {"n2", 2}}, 2, {{0, 7, 2, 0b11}, {1, 12, 1, 0b10}}},
               {"4710", "pair", {{"n4", 70}}, 69, {{0, 3, 68}}},
               {"4712", "destination-mod-K", {{"n3", 1}}, 0, {}}};
  return file;
}

std::string refused(const std::string& text) {
  const auto file = parse_running_file(text, "running.json");
  return file ? "accepted" : file.error().message;
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = running_file_text(example());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(RunningFile, SurvivesBeingWrittenAndRead) {
  const auto path = std::filesystem::temp_directory_path() / "ayatori-running-file-test.json";
  ASSERT_TRUE(write_running_file(example(), path));
  const auto again = read_running_file(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->lmc, 3);
  EXPECT_EQ(again->devices, example().devices);
  EXPECT_EQ(again->jobs, example().jobs);
}

TEST(RunningFile, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(refused("{}"),
            "running.json: /: expected a file of running jobs: an object with the format \"ayatori-running\"");
  EXPECT_EQ(refused(with("\"version\":1", "\"version\":2")),
            "running.json: /: version 2 of the format ayatori-running; this program reads version 1");
  EXPECT_EQ(refused(with("\"lmc\":3", "\"lmc\":8")), "running.json: /lmc: expected a whole number from 0 to 7");
  EXPECT_EQ(refused(with("4712", "4711")), "running.json: /jobs/2: the second job of this name");
  EXPECT_EQ(refused(with("[1,12,1]", "[2,12,1]")), "running.json: /jobs/0/links/1/0: a device that is not listed");
  EXPECT_EQ(refused(with("[0,7,2]", "[0,7,3]")),
            "running.json: /jobs/0/links/0/2: expected a whole number from 1 to 2");
  EXPECT_EQ(refused(with("[0,7,2]", "[0,7]")),
            "running.json: /jobs/0/links/0: expected three numbers: device, port, steps");
  EXPECT_EQ(refused(with("[[0,1],[1]]", "[[0,1]]")),
            "running.json: /jobs/0/used_in: expected a list of steps for each link");
  EXPECT_EQ(refused(with("[[0,1],[1]]", "[[0,1],[2]]")),
            "running.json: /jobs/0/used_in/1/0: expected a whole number from 0 to 1");
  EXPECT_EQ(refused(with("[[0,1],[1]]", "[[0,1],[1,1]]")),
            "running.json: /jobs/0/used_in/1: expected 1 different steps, as its link says");
  EXPECT_EQ(refused(with("[0,3,68]]", "[0,3,68]],\"used_in\":[[1]]")),
            "running.json: /jobs/1/used_in: only of jobs of up to 64 steps");
}

TEST(RunningFile, StepsOfLinksMayBeMissing) {
  const auto file = parse_running_file(with(",\"used_in\":[[0,1],[1]]", ""), "running.json");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->jobs[0].links[0].steps, 2U);
  EXPECT_EQ(file->jobs[0].links[0].in_steps, 0U);
}

}  // namespace running_file_test
}  // namespace ayatori
