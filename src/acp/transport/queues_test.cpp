#include "ayatori/transport/queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace queues_test {

TEST(IdQueue, AgreesWithADeque) {
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

}  // namespace queues_test
}  // namespace ayatori::transport
