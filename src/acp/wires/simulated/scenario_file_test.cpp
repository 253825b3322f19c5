#include "ayatori/simulated/scenario_file.hpp"

#include <gtest/gtest.h>

namespace ayatori::simulated {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, ReadsANumberAndAUnit) {
  EXPECT_EQ(parse_duration("250ns"), 250ns);
  EXPECT_EQ(parse_duration("2us"), 2us);
  EXPECT_EQ(parse_duration("1.5ms"), 1500us);
  EXPECT_EQ(parse_duration("10s"), 10s);
  EXPECT_EQ(parse_duration("0s"), 0s);
  for (const char* wrong : {"", "2", "us", "2 us", "-1us", "2m", "1e3us", "nans", "infs", "99999999s", "2us "}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
}

TEST(ScenarioFile, DocumentedExampleHasTheDefaults) {
  const auto scenario = load_scenario(AYATORI_SOURCE_DIR "/docs/simulated-network.toml");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Scenario defaults;
  EXPECT_EQ(scenario->seed, defaults.seed);
  EXPECT_EQ(scenario->latency, defaults.latency);
  EXPECT_EQ(scenario->jitter, defaults.jitter);
  EXPECT_EQ(scenario->drop, defaults.drop);
  EXPECT_EQ(scenario->duplicate, defaults.duplicate);
  EXPECT_EQ(scenario->reorder, defaults.reorder);
  EXPECT_EQ(scenario->reorder_delay, defaults.reorder_delay);
  EXPECT_EQ(scenario->gigabytes_per_second, defaults.gigabytes_per_second);
  EXPECT_EQ(scenario->receive_buffers, defaults.receive_buffers);
  EXPECT_EQ(scenario->control_buffers, defaults.control_buffers);
  EXPECT_EQ(scenario->receive_cost, defaults.receive_cost);
  EXPECT_EQ(scenario->send_cost, defaults.send_cost);
  EXPECT_EQ(scenario->copy_gigabytes_per_second, defaults.copy_gigabytes_per_second);
  EXPECT_EQ(scenario->adapter_cost, defaults.adapter_cost);
  EXPECT_EQ(scenario->fabric_bytes, defaults.fabric_bytes);
  EXPECT_EQ(scenario->cached_buffers, defaults.cached_buffers);
  EXPECT_EQ(scenario->cold_buffer_cost, defaults.cold_buffer_cost);
  EXPECT_EQ(scenario->rnr_retry, defaults.rnr_retry);
  EXPECT_EQ(scenario->retry_count, defaults.retry_count);
  EXPECT_EQ(scenario->retry_timeout, defaults.retry_timeout);
  ASSERT_EQ(scenario->black_holes.size(), 2U);
  EXPECT_EQ(scenario->black_holes[0].peer, 3U);
  EXPECT_EQ(scenario->black_holes[0].from, Time(10ms));
  EXPECT_EQ(scenario->black_holes[0].until, Time(1500ms));
  EXPECT_EQ(scenario->black_holes[1].until, transport::never);
}

TEST(ScenarioFile, ReadsEveryKey) {
  const auto scenario = parse_scenario(R"(
    seed = 7
    drop = 1
    latency = "1us"
    receive_buffers = 1
    rnr_retry = 6
    retry_count = 0
    retry_timeout = "8ms"
    black_holes = [{ peer = 2, from = "1s" }]
  )",
                                       "p.toml");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->seed, 7U);
  EXPECT_EQ(scenario->drop, 1);
  EXPECT_EQ(scenario->latency, 1us);
  EXPECT_EQ(scenario->receive_buffers, 1U);
  EXPECT_EQ(scenario->rnr_retry, 6U);
  EXPECT_EQ(scenario->retry_count, 0U);
  EXPECT_EQ(scenario->retry_timeout, 8ms);
  EXPECT_EQ(scenario->black_holes.size(), 1U);
  EXPECT_TRUE(parse_scenario("", "empty.toml"));
}

TEST(ScenarioFile, ErrorsNameFileLineKeyAndWhatWasExpected) {
  const auto message = [](std::string_view text) { return parse_scenario(text, "p.toml").error().message; };
  EXPECT_EQ(message("seed = 1\ndrop = 2"), "p.toml:2: drop: expected a probability, 0 to 1");
  EXPECT_EQ(message("drop = nan"), "p.toml:1: drop: expected a probability, 0 to 1");
  EXPECT_EQ(message("\n\nlatency = 2"), "p.toml:3: latency: expected a duration, for example \"2us\"");
  EXPECT_EQ(message("receive_buffers = 0"),
            "p.toml:1: receive_buffers: expected a whole number from 1, less than 4294967296");
  EXPECT_EQ(message("receive_buffers = 1.5"),
            "p.toml:1: receive_buffers: expected a whole number from 1, less than 4294967296");
  EXPECT_EQ(message("gigabytes_per_second = 1e-300"),
            "p.toml:1: gigabytes_per_second: expected 0 (without limit), or a number from 1e-6 to 1e6");
  EXPECT_EQ(message("rnr_retry = 8"), "p.toml:1: rnr_retry: expected a whole number from 0 to 7");
  EXPECT_EQ(message("seed = -1"), "p.toml:1: seed: expected a whole number from 0");
  EXPECT_EQ(message("dorp = 0.1"), "p.toml:1: unknown key 'dorp'");
  EXPECT_EQ(message("[[black_holes]]\nfrom = \"1s\""), "p.toml:1: black_holes: expected a table with the key peer");
  EXPECT_EQ(message("[[black_holes]]\npeer = 1\nwhy = 1"), "p.toml:3: unknown key 'why'");
  EXPECT_EQ(message("[[black_holes]]\npeer = 1\nfrom = \"2s\"\nuntil = \"1s\""),
            "p.toml:1: until: expected a time after from");
  EXPECT_EQ(message("black_holes = 3"),
            "p.toml:1: black_holes: expected an array of tables, each under [[black_holes]]");
  EXPECT_TRUE(message("drop = ").starts_with("p.toml:1: "));
  EXPECT_TRUE(message("drop = 0.1\ndrop = 0.2").starts_with("p.toml:2: "));
  EXPECT_TRUE(message("s = \"\"\"\\\n\xc2\xa7\"\"\"").starts_with("p.toml:1: unknown key"));
  EXPECT_TRUE(message("[ #").starts_with("p.toml:"));
  EXPECT_TRUE(parse_scenario("# \xe2\x80\xa6", "p.toml"));
  EXPECT_FALSE(load_scenario("/nowhere/scenario.toml"));
}

}  // namespace
}  // namespace ayatori::simulated
