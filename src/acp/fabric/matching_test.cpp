#include "matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"

namespace ayatori::fabric {
namespace matching_test {

/// What the man page of fi_tagged says, by looking through everything. Messages and receives are known by their
/// numbers: that of a message is its size, that of a receive its context.
struct SlowModel {
  struct Message {
    Address from{};
    std::uint64_t tag = 0;
    std::size_t number = 0;
  };
  struct Wanted {
    std::optional<Address> from{};
    std::uint64_t tag = 0;
    std::uint64_t ignore = 0;
    std::size_t number = 0;
  };

  static bool fits(const Wanted& wanted, const Message& message) {
    for (int bit = 0; bit < 64; ++bit) {
      const std::uint64_t mask = std::uint64_t{1} << bit;
      if ((wanted.ignore & mask) == 0 && (wanted.tag & mask) != (message.tag & mask)) return false;
    }
    return !wanted.from || *wanted.from == message.from;
  }

  std::vector<Message> messages;
  std::vector<Wanted> receives;
};

/// 0 if there is none.
std::size_t number_of(const std::optional<Receive>& receive) {
  return receive ? reinterpret_cast<std::size_t>(receive->context) : 0;
}
std::size_t number_of(const std::optional<Arrival>& arrival) { return arrival ? arrival->frame.size : 0; }

template <typename Entries, typename Fits>
std::size_t take_first(Entries& entries, Fits fits) {
  const auto found = std::ranges::find_if(entries, fits);
  if (found == entries.end()) return 0;
  const std::size_t number = found->number;
  entries.erase(found);
  return number;
}

Address any_address(Random& random) {
  return {static_cast<Rank>(random.below(3)), static_cast<EndpointNumber>(random.below(2))};
}

struct Matchings {
  Matching fast;
  SlowModel slow;
  std::size_t number = 0;

  void message(Random& random) {
    const SlowModel::Message sent{any_address(random), random.below(4), ++number};
    Arrival arrival{.from = sent.from, .frame = {.kind = FrameKind::long_tagged, .tag = sent.tag, .size = number}};
    const std::size_t expected = take_first(slow.receives, [&](const auto& one) { return SlowModel::fits(one, sent); });
    ASSERT_EQ(number_of(fast.take_receive(arrival)), expected);
    if (expected != 0) return;
    fast.keep(std::move(arrival));
    slow.messages.push_back(sent);
  }

  void receive(Random& random) {
    SlowModel::Wanted wanted{.tag = random.below(4), .ignore = random.below(4), .number = ++number};
    if (random.below(2) == 0) wanted.from = any_address(random);
    const Receive posted{
        .from = wanted.from, .tag = wanted.tag, .ignore = wanted.ignore, .context = reinterpret_cast<void*>(number)};
    const auto fits = [&](const auto& message) { return SlowModel::fits(wanted, message); };
    const Arrival* const seen = fast.peek(posted);
    const auto found = std::ranges::find_if(slow.messages, fits);
    ASSERT_EQ(seen ? seen->frame.size : 0, found == slow.messages.end() ? 0 : found->number);
    const std::size_t expected = take_first(slow.messages, fits);
    auto taken = fast.take_arrival(posted);
    ASSERT_EQ(number_of(taken), expected);
    if (expected == 0) {
      fast.post(posted);
      slow.receives.push_back(wanted);
    } else if (random.below(4) == 0) {
      fast.set_aside(std::move(*taken), posted.context);
      ASSERT_EQ(number_of(fast.take_claimed(posted.context)), expected);
      ASSERT_EQ(number_of(fast.take_claimed(posted.context)), 0);
    }
  }

  void cancel(Random& random) {
    const std::size_t which = 1 + random.below(number + 1);
    const std::size_t expected = take_first(slow.receives, [&](const auto& one) { return one.number == which; });
    ASSERT_EQ(number_of(fast.cancel(reinterpret_cast<void*>(which))), expected);
  }

  void cancel_from(Random& random) {
    const auto rank = static_cast<Rank>(random.below(3));
    for (const Receive& cancelled : fast.cancel_from(rank)) {
      const auto waits = [&](const auto& one) { return one.from && one.from->rank == rank; };
      ASSERT_EQ(number_of(cancelled), take_first(slow.receives, waits));
    }
  }
};

TEST(Matching, AgreesWithASlowModel) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Matchings both;
    for (int step = 0; step < 300; ++step) {
      switch (random.below(20)) {
        case 0:
          both.cancel(random);
          break;
        case 1:
          both.cancel_from(random);
          break;
        default:
          random.below(2) == 0 ? both.message(random) : both.receive(random);
      }
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace matching_test
}  // namespace ayatori::fabric
