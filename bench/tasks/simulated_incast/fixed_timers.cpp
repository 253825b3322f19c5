// Paper 5, section 5.3, over many seeds: 31 clients and a server with one buffer. The best fixed timer of the sweep
// (of those that make at most 0.1 % duplicates), chosen for each seed after the fact, against adaptive timers with
// admission on the same network; rates are of whole runs, and of the part while all clients have something to send. No
// packet has more than one message, so that only the timers are compared; `coalesced` is what ours does by default.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ayatori/base/text.hpp"
#include "ayatori/simulated/incast.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::simulated;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Rates {
  double whole = 0;
  double steady = 0;
};

bool few_duplicates(const IncastResult& result) { return result.duplicates * 1000 <= result.delivered; }

Rates best_fixed(const Incast& incast, const Scenario& scenario) {
  Rates best;
  for (const std::int64_t microseconds : {1, 10, 100, 1000, 10'000}) {
    const auto result = run_incast(incast, scenario, transport::stop_and_wait(std::chrono::microseconds(microseconds)));
    if (!result.complete || !few_duplicates(result)) continue;
    best.whole = std::max(best.whole, result.messages_per_second);
    best.steady = std::max(best.steady, result.steady_messages_per_second);
  }
  return best;
}

/// A network, and how many messages a client has in hand.
struct Setting {
  const char* name;
  Duration latency;
  std::uint32_t queued;
};

/// Scenario's own, and the one of experiments/low_memory_transport.
constexpr std::array settings{Setting{"default", Duration(2'000), 4}, Setting{"paper", Duration(4'000), 1}};

std::string spread(std::vector<double> ratios) {
  const auto wins = std::ranges::count_if(ratios, [](double ratio) { return ratio >= 1; });
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format(R"({{"median": {:.4f}, "min": {:.4f}, "max": {:.4f}, "wins": {}}})", median(ratios), least, most,
                     wins);
}

void compare(const Setting& setting, std::uint32_t bytes, std::uint64_t seeds, std::uint32_t messages) {
  std::vector<double> whole, steady, ours_whole, fixed_whole, coalesced, duplicates;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Incast incast{.messages = messages, .queued = setting.queued, .bytes = bytes};
    Scenario scenario;
    scenario.seed = seed;
    scenario.latency = setting.latency;
    scenario.receive_buffers = 1;
    transport::Options options;
    options.receive_buffers = 1;
    options.coalesce = false;
    const Rates fixed = best_fixed(incast, scenario);
    const auto ours = run_incast(incast, scenario, options);
    whole.push_back(ours.messages_per_second / fixed.whole);
    steady.push_back(ours.steady_messages_per_second / fixed.steady);
    ours_whole.push_back(ours.messages_per_second);
    fixed_whole.push_back(fixed.whole);
    options.coalesce = true;
    coalesced.push_back(run_incast(incast, scenario, options).messages_per_second);
    duplicates.push_back(static_cast<double>(ours.duplicates) / static_cast<double>(ours.delivered));
  }
  fmt::print(
      "{{\"network\": \"{}\", \"bytes\": {}, \"seeds\": {}, \"ours_a_second\": {:.0f}, "
      "\"coalesced_a_second\": {:.0f}, \"best_fixed_a_second\": {:.0f}, \"ratio\": {}, \"steady_ratio\": {}, "
      "\"duplicates_max\": {:.5f}}}\n",
      setting.name, bytes, seeds, median(ours_whole), median(coalesced), median(fixed_whole), spread(whole),
      spread(steady), std::ranges::max(duplicates));
}

}  // namespace

/// incast_bench [SEEDS [MESSAGES]]: of each client.
int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? parse_unsigned<std::uint64_t>(argv[1]).value_or(1) : 5;
  const std::uint32_t messages = argc > 2 ? parse_unsigned<std::uint32_t>(argv[2]).value_or(1) : 1000;
  for (const Setting& setting : settings) {
    for (const std::uint32_t bytes : {8U, 32U, 128U, 512U, 1024U, 2048U}) compare(setting, bytes, seeds, messages);
  }
  return 0;
}
