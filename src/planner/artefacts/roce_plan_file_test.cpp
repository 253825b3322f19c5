#include "ayatori/artefacts/roce_plan_file.hpp"

#include <gtest/gtest.h>

#include "artefact_fixtures.hpp"

namespace ayatori {
namespace roce_plan_file_test {

RocePlanFile example() {
  return {"crc32", "no link is shared", {{"n1", 0x0A000001}, {"n2", 0xC0A80AFF}}, {0, 49152, 65535, 0}};
}

std::string refused(const std::string& from, const std::string& to) {
  return refusal_of(parse_roce_plan_file, replaced(roce_plan_file_text(example()), from, to));
}

TEST(RocePlanFile, SurvivesBeingWrittenAndRead) {
  expect_survives_a_file(example(), write_roce_plan_file, read_roce_plan_file);
  EXPECT_EQ(example().source_port(1, 0), 65535);
}

TEST(RocePlanFile, ErrorsNameThePlaceAndWhatWasExpected) {
  EXPECT_EQ(refused("10.0.0.1", "10.0.0.256"),
            "f.json: /ports/0/address: expected an IP address like \"10.0.0.1\" or \"fd00::1\"");
  EXPECT_EQ(refused("192.168.10.255", "10.0.0.1"), "f.json: /ports/1/address: the second port of this address");
  EXPECT_EQ(refused("49152", "80"),
            "f.json: /source_ports/0/1: expected a port from 49152 to 65535, and 0 from a port to itself");
  EXPECT_EQ(refused("[65535,0]", "[65535]"), "f.json: /source_ports: expected 2 rows of 2 ports");
  EXPECT_EQ(refused(",[65535,0]", ""), "f.json: /source_ports: expected 2 rows of 2 ports");
  EXPECT_EQ(refused("\"version\":1", "\"version\":2"),
            "f.json: /: version 2 of the format ayatori-roce-plan; this program reads version 1");
}

TEST(RocePlanFile, MayHaveAddressesOfIpv6) {
  RocePlanFile plan = example();
  plan.ports[0].address = parse_ip_address("fd00::a:1").value();
  const std::string text = roce_plan_file_text(plan);
  EXPECT_NE(text.find("\"fd00::a:1\""), std::string::npos);
  EXPECT_EQ(parse_roce_plan_file(text, "r.json")->ports, plan.ports);
}

}  // namespace roce_plan_file_test
}  // namespace ayatori
