#include "ayatori/transport/contexts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace contexts_test {

TEST(ContextTable, AgreesWithAMap) {
  Random random(1);
  ContextTable<int> table(13);
  std::map<std::pair<Rank, Lane>, ContextId> known;
  for (int i = 0; i < 20'000; ++i) {
    const FlowKey key{static_cast<Rank>(random.below(40)), random.below(2) == 0 ? Lane::messages : Lane::replies};
    const auto at = known.find({key.peer, key.lane});
    ASSERT_EQ(table.find(key).has_value(), at != known.end());
    if (at != known.end()) {
      ASSERT_EQ(*table.find(key), at->second);
      ASSERT_EQ(table[at->second], static_cast<int>(key.peer));
      table.erase(at->second);
      known.erase(at);
    } else if (const auto id = table.insert(key)) {
      ASSERT_EQ(table[*id], 0) << "a context must start afresh";
      table[*id] = static_cast<int>(key.peer);
      known[{key.peer, key.lane}] = *id;
    } else {
      ASSERT_EQ(known.size(), 13U);
    }
    ASSERT_EQ(table.size(), known.size());
  }
}

}  // namespace contexts_test
}  // namespace ayatori::transport
