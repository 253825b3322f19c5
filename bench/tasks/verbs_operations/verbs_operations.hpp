#pragma once
/// \file
/// Operations on 8 bytes of another process's memory, over two adapters: how long one takes, and how many a second
/// there are with several under way (papers 2 and 3 that paper 5 names: remote atomics).
///
///     verbs_operations_PEER DEVICE_OF_TARGET DEVICE_OF_INITIATOR COUNT      prints one JSON line an operation

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ayatori/base/text.hpp"
#include "harness/processes.hpp"

namespace ayatori::verbs_operations {

inline constexpr std::uint32_t at_once = 16;

struct Settings {
  std::string target_device;
  std::string initiator_device;
  std::uint32_t count = 1000;
};

inline Settings settings_of(int argc, char** argv) {
  const auto count = argc == 4 ? parse_unsigned<std::uint32_t>(argv[3]) : std::nullopt;
  if (!count || *count == 0) bench::give_up("usage: DEVICE_OF_TARGET DEVICE_OF_INITIATOR COUNT, COUNT from 1 on");
  return {argv[1], argv[2], *count};
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// `start` begins an operation, `finish` waits for one that is under way.
template <typename Start, typename Finish>
void measure(const char* operation, const Settings& settings, Start start, Finish finish) {
  std::vector<double> took;
  for (std::uint32_t i = 0; i < settings.count; ++i) {
    const double begin = seconds_now();
    start();
    finish();
    took.push_back(seconds_now() - begin);
  }
  std::ranges::nth_element(took, took.begin() + settings.count / 2);

  const double begin = seconds_now();
  std::uint32_t started = 0;
  for (std::uint32_t finished = 0; finished < settings.count; ++finished) {
    for (; started < settings.count && started - finished < at_once; ++started) start();
    finish();
  }
  fmt::print(R"({{"operation": "{}", "latency_us": {:.1f}, "operations_per_s": {:.0f}}})"
             "\n",
             operation, took[settings.count / 2] * 1e6, settings.count / (seconds_now() - begin));
  std::fflush(stdout);
}

}  // namespace ayatori::verbs_operations
