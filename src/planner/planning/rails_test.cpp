// Plans of jobs whose NICs lie on rails that no cable joins.

#include "ayatori/network/rails.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/random.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace rails_test {

/// Of a job's steps the messages between every `stride`-th rank, from rank `first` on.
class StepsOfEvery final : public StepSequence {
 public:
  StepsOfEvery(const StepSequence& all, Rank first, Rank stride) : all_(all), first_(first), stride_(stride) {}
  [[nodiscard]] Rank rank_count() const override { return all_.rank_count() / stride_; }
  [[nodiscard]] std::size_t step_count() const override { return all_.step_count(); }
  void step(std::size_t index, std::vector<Message>& messages) const override {
    std::vector<Message> every;
    all_.step(index, every);
    messages.clear();
    for (const auto& [from, to, bytes] : every) {
      if (from % stride_ != first_ || to % stride_ != first_) continue;
      messages.push_back({from / stride_, to / stride_, bytes});
    }
  }

 private:
  const StepSequence& all_;
  Rank first_;
  Rank stride_;
};

/// Two rails of one tree, which no cable joins, against each rail alone.
TEST(PlanOfRails, RailsThatNoCableJoinsArePlannedOneByOne) {
  const Network network = open_source("xgft:h=2;m=6,4;w=2,3").value();
  const Routes routes = generate_routes(network, 2).value().routes;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Job job = random_job(network, 9, 2, random).value();
    const RailMap map(network, job, RailUse::aligned);
    const auto endpoints = endpoints_of_ranks(network, map.nics());
    const auto shift = shift_all_to_all(18);
    const auto steps = on_rails(*shift, map);
    for (const Method method : {Method::base_lids, Method::rule, Method::colour, Method::pair}) {
      const auto both = make_plan(network, routes, endpoints, *steps, method);
      ASSERT_TRUE(both) << both.error().message;
      const Contention found = measure_contention(network, routes, endpoints, both->plan, *steps).value();
      EXPECT_EQ(found.hot_spots, both->hot_spots);
      EXPECT_LE(found.relative_bandwidth, both->max_relative_bandwidth + 1e-9);
      // A message of a rail by the plan of both and by a plan of this rail's messages alone.
      for (std::uint32_t rail = 0; rail < 2; ++rail) {
        std::vector<PortId> own;
        for (std::size_t nic = rail; nic < endpoints.size(); nic += 2) own.push_back(endpoints[nic]);
        const StepsOfEvery rail_steps(*steps, rail, 2);
        const Plan alone = make_plan(network, routes, own, rail_steps, method).value().plan;
        for (Rank from = 0; from < own.size(); ++from) {
          for (Rank to = 0; to < own.size(); ++to) {
            EXPECT_EQ(both->plan.path_bits(2 * from + rail, 2 * to + rail), alone.path_bits(from, to));
          }
        }
      }
    }
  }
}

TEST(PlanOfRails, MessagesBetweenRailsThatNoCableJoinsAreAnError) {
  const Network network = open_source("xgft:h=2;m=6,4;w=2,3").value();
  const Routes routes = generate_routes(network, 2).value().routes;
  const Job job = contiguous_job(network, 4, 2).value();
  const auto planned = make_plan(network, routes, endpoints_of_ranks(network, job), *shift_all_to_all(8), Method::pair);
  ASSERT_FALSE(planned);
  EXPECT_NE(planned.error().message.find("several parts"), std::string::npos);
}

}  // namespace rails_test
}  // namespace ayatori
