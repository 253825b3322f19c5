#pragma once
/// \file
/// The scenario of a receiver that is stopped for a while (SIGSTOP) and goes on, over any wire.

#include <memory>

#include "ayatori/testing/children.hpp"
#include "ayatori/testing/process.hpp"

namespace ayatori::wires {

inline void stop_and_continue_a_receiver(const std::function<std::unique_ptr<Wire>(Rank)>& wire_of, JobKey key) {
  constexpr std::uint32_t count = 10'000;  // some 600 packets, since short ones share them
  Child receiver([&] {
    const auto wire = wire_of(1);
    TestProcess process(*wire, {1, key, 1, 0}, {});
    process.run([&] { return process.delivered == count; });
    process.linger();
  });
  const auto wire = wire_of(0);
  TestProcess process(*wire, {0, key, 0, 0}, {});
  for (std::uint32_t i = 0; i < count; ++i) process.send(1, i, 4'000);
  process.run([&] { return process.endpoint().statistics().data_packets > 300; });
  {
    // The receiver has not all yet: its window ends far below the last message.
    const std::jthread stopper([&] {
      receiver.signal(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      receiver.signal(SIGCONT);
    });
    process.run([&] { return process.idle(); });
  }
  process.linger();
  EXPECT_EQ(receiver.wait(), 0);
  EXPECT_TRUE(process.lost_peers.empty());
  EXPECT_EQ(process.failures, 0U);
}

}  // namespace ayatori::wires
