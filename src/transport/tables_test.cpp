#include "ayatori/transport/tables.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace {

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

TEST(IdQueue, KeepsTheOrderAndEachIdOnce) {
  Random random(2);
  IdQueue queue(10);
  std::deque<std::uint32_t> model;
  for (int i = 0; i < 5000; ++i) {
    const auto id = static_cast<std::uint32_t>(random.below(10));
    const auto at = std::ranges::find(model, id);
    switch (random.below(5)) {
      case 0:
        queue.push(id);
        if (at == model.end()) model.push_back(id);
        break;
      case 1:
        queue.remove(id);
        if (at != model.end()) model.erase(at);
        break;
      case 2:
        queue.move_to_end(id);
        if (at != model.end()) model.erase(at);
        model.push_back(id);
        break;
      case 3:
        queue.move_to_front(id);
        if (at != model.end()) model.erase(at);
        model.push_front(id);
        break;
      default:
        if (model.empty()) break;
        ASSERT_EQ(queue.pop(), model.front());
        model.pop_front();
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.empty(), model.empty());
  }
}

TEST(Deadlines, GivesTheEarliestFirst) {
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

}  // namespace
}  // namespace ayatori::transport
