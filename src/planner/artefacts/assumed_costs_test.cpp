#include "ayatori/artefacts/assumed_costs.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace assumed_costs_test {

TEST(AssumedCosts, NeverAreFreeWhateverTheRate) {
  for (const char* rate :
       {"1xSDR", "4xDDR", "4xQDR", "4xFDR10", "4xFDR", "4xEDR", "4xHDR", "4xNDR", "4xXDR", "1Gbit/s", "100Gbit/s"}) {
    for (const bool direct : {false, true}) {
      const AssumedCosts assumed = assumed_costs(*parse_link_rate(rate), direct);
      EXPECT_GT(assumed.link_latency, 0) << rate;
      EXPECT_GT(assumed.costs.between.latency, 0) << rate;
      EXPECT_GT(seconds_of(assumed.costs.between.send, 1), 0) << rate;
      EXPECT_GT(seconds_of(assumed.costs.between.receive, 1), 0) << rate;
    }
  }
}

TEST(AssumedCosts, OfARateThatIsNotKnownAreThoseOfHdr) {
  EXPECT_EQ(assumed_costs({}, false).costs, assumed_costs(*parse_link_rate("4xHDR"), false).costs);
  EXPECT_NE(assumed_costs({}, false).costs, assumed_costs(*parse_link_rate("4xQDR"), false).costs);
}

TEST(CostsOf, ACalibrationWithoutMessagesBetweenMachinesTakesTheAssumedOnes) {
  const CommunicationCosts assumed = assumed_costs({}, false).costs;
  Calibration calibration;
  calibration.inside = MessageCosts{.latency = 7e-6, .send = {}, .receive = {}};
  const CommunicationCosts costs = costs_of(calibration, assumed, 1e-7);
  EXPECT_EQ(costs.inside.latency, 7e-6);
  EXPECT_EQ(costs.between, assumed.between);
  EXPECT_EQ(costs.copy, assumed.copy);
}

TEST(CostsOf, TheLatencyOfTheLinksMeasuredOverIsNotCountedTwice) {
  Calibration calibration;
  calibration.between = MessageCosts{.latency = 1e-6, .send = {}, .receive = {}};
  calibration.links_between = 2;
  EXPECT_NEAR(costs_of(calibration, {}, 1e-7).between.latency, 0.8e-6, 1e-12);
  EXPECT_EQ(costs_of(calibration, {}, 1e-6).between.latency, 0);
}

TEST(CostsOf, EachEndOfAMessageTakesTheEnginesTimeMore) {
  Calibration calibration;
  calibration.engine = 3e-7;
  calibration.inside = MessageCosts{.latency = 0, .send = {{0, 1e-7, 0}, {100, 2e-7, 0}}, .receive = {{10, 1e-7, 0}}};
  const MessageCosts inside = costs_of(calibration, {}, 0).inside;
  EXPECT_DOUBLE_EQ(seconds_of(inside.send, 8), 4e-7);
  EXPECT_DOUBLE_EQ(seconds_of(inside.send, 100), 5e-7);
  EXPECT_DOUBLE_EQ(seconds_of(inside.receive, 8), 3e-7) << "free without the engine";
  EXPECT_DOUBLE_EQ(seconds_of(inside.receive, 10), 4e-7);
}

}  // namespace assumed_costs_test
}  // namespace ayatori
