// Paper 5, section 5.3, over many seeds: 31 clients and a server with one receive buffer. For each seed the best fixed
// retransmission timer (of those with at most 0.1 % duplicates, chosen after the runs) is compared with our adaptive
// timers and admission on the same simulated network. Rates are those of whole runs, and of the time while all clients
// have something to send. A packet has one message, so that only the timers are compared; `coalesced` is our default.

#include <fmt/core.h>

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

/// A network, and how many messages a client has queued.
struct Setting {
  const char* name;
  Duration latency;
  std::uint32_t queued;
};

/// The default of Scenario, and the network of paper 5 as it was before decision 35.
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

/// simulated_incast_fixed_timers [SEEDS [MESSAGES]]; MESSAGES are those of each client.
int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? parse_unsigned<std::uint64_t>(argv[1]).value_or(1) : 5;
  const std::uint32_t messages = argc > 2 ? parse_unsigned<std::uint32_t>(argv[2]).value_or(1) : 1000;
  for (const Setting& setting : settings) {
    for (const std::uint32_t bytes : {8U, 32U, 128U, 512U, 1024U, 2048U}) compare(setting, bytes, seeds, messages);
  }
  return 0;
}
