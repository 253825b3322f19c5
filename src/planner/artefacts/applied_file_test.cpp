#include "ayatori/artefacts/applied_file.hpp"

#include <gtest/gtest.h>

#include "artefact_fixtures.hpp"

namespace ayatori {
namespace applied_file_test {

AppliedFile example() {
  AppliedFile file;
  file.plan = "/jobs/17/plan.json";
  file.host = "n1";
  file.process = 4711;
  file.paths_per_pair = 4;
  file.connections = {{{.datagram = false, .port_guid = 0x31, .slid = 49, .dlid = 58, .planned = true}, 4},
                      {{.datagram = true, .port_guid = 0, .slid = 48, .dlid = 0xC001, .planned = false}, 1}};
  return file;
}

std::string refused(const std::string& from, const std::string& to) {
  return refusal_of(parse_applied_file, replaced(applied_file_text(example()), from, to));
}

TEST(AppliedFile, SurvivesBeingWrittenAndRead) {
  expect_survives_a_file(example(), write_applied_file, read_applied_file);
}

TEST(AppliedFile, ErrorsNameThePlaceAndWhatWasExpected) {
  EXPECT_EQ(refused("\"queue-pair\"", "\"rc\""), "f.json: /connections/0/kind: expected queue-pair or address-handle");
  EXPECT_EQ(refused("\"0x0000000000000031\"", "\"31\""),
            "f.json: /connections/0/port_guid: expected a GUID like \"0x0002c90300a1b2c3\"");
  EXPECT_EQ(refused("\"slid\": 49", "\"slid\": 65536"),
            "f.json: /connections/0/slid: expected a whole number from 0 to 65535");
  EXPECT_NE(refused("\"count\": 4", "\"count\": 0"), "accepted");
  EXPECT_NE(refused("\"planned\": true", "\"planned\": 1"), "accepted");
  EXPECT_NE(refused("\"version\": 1", "\"version\": 2"), "accepted");
  EXPECT_NE(refused("\"host\": \"n1\"", "\"host\": \"\""), "accepted");
}

}  // namespace applied_file_test
}  // namespace ayatori
