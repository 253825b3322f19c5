#include "ayatori/routing/generate.hpp"

#include <gtest/gtest.h>

#include "ayatori/sources/source.hpp"

namespace ayatori {
TEST(Generate, Quick) {
  for (const char* source : {"fattree:K=6,levels=2,nodes=30", "fattree:K=4,levels=3", "torus:4x4x4", "full:5"}) {
    auto network = open_source(source);
    ASSERT_TRUE(network) << network.error().message;
    for (int lmc = 0; lmc <= 3; ++lmc) {
      auto generated = generate_routes(*network, lmc);
      ASSERT_TRUE(generated) << generated.error().message;
      for (auto from : network->endpoints())
        for (Lid lid = 1; lid <= generated->routes.lids.last(); ++lid) {
          if (generated->routes.lids.owner(lid) == no_id || generated->routes.lids.owner(lid) == from) continue;
          ASSERT_TRUE(trace(*network, generated->routes, from, lid, [](PortId) {})) << source << " " << lid;
        }
    }
  }
}
}  // namespace ayatori
