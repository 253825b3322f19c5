#include "deadlines.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace deadlines_test {

TEST(Deadlines, PopDueGivesTheEarliestFirst) {
  Random random(3);
  Deadlines deadlines(20);
  std::map<std::uint32_t, Time> model;
  Time now{};
  for (int i = 0; i < 5000; ++i) {
    const auto id = static_cast<std::uint32_t>(random.below(20));
    if (random.below(4) == 0) {
      deadlines.clear(id);
      model.erase(id);
    } else {
      model[id] = now + Duration(random.below(1000));
      deadlines.set(id, model[id]);
    }
    now += Duration(random.below(50));
    while (const auto due = deadlines.pop_due(now)) {
      ASSERT_LE(model.at(*due), now);
      for (const auto& [other, when] : model) ASSERT_LE(model.at(*due), when) << other;
      model.erase(*due);
    }
    for (const auto& [other, when] : model) ASSERT_GT(when, now) << other;
  }
}

}  // namespace deadlines_test
}  // namespace ayatori::transport
