#include "ayatori/driver/clock.hpp"

#include <thread>

namespace ayatori::wires {

transport::Time SteadyClock::now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return transport::Time(std::chrono::duration_cast<transport::Duration>(since_start));
}

Clock& steady_clock() {
  static SteadyClock clock;
  return clock;
}

void pause(transport::Duration duration) { std::this_thread::sleep_for(duration); }

}  // namespace ayatori::wires
