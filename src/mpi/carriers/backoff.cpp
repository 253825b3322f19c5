#include "backoff.hpp"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <ctime>

namespace ayatori {

namespace {

constexpr std::uint32_t max_spins = 2000;   ///< some 20 to 50 µs
constexpr std::uint32_t max_yields = 4000;  ///< some milliseconds: a yield takes a microsecond or more
constexpr long first_sleep_ns = 20'000;     ///< small compared with the time already waited
constexpr long max_sleep_ns = 1'000'000;

void sleep_ns(long nanoseconds) {
  const timespec time{0, nanoseconds};
  ppoll(nullptr, 0, &time, nullptr);
}

}  // namespace

Backoff::Step Backoff::wait(bool oversubscribed) {
  if (!oversubscribed && spins_ < max_spins) {
    ++spins_;
    pause_core();
    return Step::spun;
  }
  if (yields_ < max_yields) {
    ++yields_;
    sched_yield();
    return Step::yielded;
  }
  sleep_ns(std::min(max_sleep_ns, first_sleep_ns + first_sleep_ns / 16 * static_cast<long>(sleeps_)));
  ++sleeps_;
  return Step::slept;
}

}  // namespace ayatori
