#include "ayatori/artefacts/calibration.hpp"

#include <gtest/gtest.h>

#include "artefact_fixtures.hpp"

namespace ayatori {
namespace calibration_test {

Calibration example() {
  Calibration calibration;
  calibration.machine = "n1: some processor, 2 cores";
  calibration.mpi = "Open MPI 4.1.4";
  calibration.remarks = {"the machine was busy"};
  calibration.inside = MessageCosts{1e-7, {{0, 1e-7, 0}, {4097, 2e-7, 1e-10}}, {{0, 1e-7, 2e-10}}, 0, 4096, 1e-6, 5e9};
  calibration.links_between = 2;
  calibration.copy = {{0, 0, 1e-10}};
  calibration.engine = 4e-8;
  calibration.cores = 2;
  calibration.scheduling_delay = {{0, 9e-7, 0}, {4097, 2e-6, 1e-11}};
  calibration.start_skew = 1.4e-5;
  calibration.oversubscription = {{0, 1e-7, 0}, {257, 2e-6, 1e-11}};
  calibration.reduce = {{0, 1e-8, 2e-10}};
  calibration.cache_refill = {{0, 0, 1e-10}, {65537, 1e-6, 2e-10}};
  calibration.start = 8e-8;
  calibration.errors = {{"one way inside", true, 21, 0.03, 0.125}, {"exchange inside", false, 20, 0.0625, 0.25}};
  return calibration;
}

std::string refused(const std::string& text) { return refusal_of(parse_calibration, text); }

/// The example with the first `from` replaced; spaces and line ends do not count.
std::string with(const std::string& from, const std::string& to) {
  std::string text = calibration_text(example());
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return replaced(text, from, to);
}

TEST(SecondsOf, TakesTheLineOfTheSize) {
  const SizeCost cost = {{10, 1, 0}, {100, 0, 0.5}};
  EXPECT_EQ(seconds_of({}, 5), 0);
  EXPECT_EQ(seconds_of(cost, 9), 0);
  EXPECT_EQ(seconds_of(cost, 10), 1);
  EXPECT_EQ(seconds_of(cost, 99), 1);
  EXPECT_EQ(seconds_of(cost, 100), 50);
}

TEST(Calibration, SurvivesBeingWrittenAndRead) {
  expect_survives_a_file(example(), write_calibration, read_calibration);
}

TEST(Calibration, MayHaveMessagesBetweenMachinesOnly) {
  Calibration calibration = example();
  std::swap(calibration.inside, calibration.between);
  EXPECT_EQ(parse_calibration(calibration_text(calibration), "f").value(), calibration);
  calibration.between->burst = 1600;
  calibration.between->header = 60;
  EXPECT_EQ(parse_calibration(calibration_text(calibration), "f").value(), calibration);
}

TEST(Calibration, ReportsWhatIsWrongWithASchedulingDelay) {
  Calibration calibration = example();
  calibration.scheduling_delay = {};
  const std::string text =
      replaced(calibration_text(calibration), "\"scheduling_delay\": []", "\"scheduling_delay\": [{}]");
  EXPECT_EQ(refused(text), "f.json: /scheduling_delay/0: expected a member 'from'");
}

TEST(Calibration, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(refused("{}"), "f.json: /: expected a calibration: an object with the format \"ayatori-calibration\"");
  EXPECT_EQ(refused(with("\"version\":1", "\"version\":2")),
            "f.json: /: version 2 of the format ayatori-calibration; this program reads version 1");
  EXPECT_EQ(refused(with("\"mpi\":\"OpenMPI4.1.4\"", "\"mpi\":\"\"")),
            "f.json: /mpi: expected a string that is not empty");
  EXPECT_EQ(refused(with("\"between\":null,", "")), "f.json: /: expected a member 'between'");
  EXPECT_EQ(refused(with("\"bandwidth\":5", "\"bandwidth\":-5")),
            "f.json: /inside/bandwidth: expected a number, 0 or more");
  EXPECT_EQ(refused(with("\"from\":4097", "\"from\":0")),
            "f.json: /inside/send/1: expected lines with rising sizes 'from'");
  EXPECT_EQ(refused(with("\"eager_limit\":4096", "\"eager_limit\":0.5")),
            "f.json: /inside/eager_limit: expected a whole number, 0 or more");
  EXPECT_EQ(refused(with("\"points\":21", "\"points\":0")),
            "f.json: /errors/0/points: expected a whole number, 1 or more");
}

}  // namespace calibration_test
}  // namespace ayatori
