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

}  // namespace assumed_costs_test
}  // namespace ayatori
