#include "arrivals.hpp"

#include <algorithm>

namespace ayatori::simulated {

namespace {

/// 0 of so few messages that no time passed between them.
double rate(std::uint64_t count, Duration time) {
  return time.count() > 0 ? static_cast<double>(count) / std::chrono::duration<double>(time).count() : 0;
}

/// Jain, Chiu, Hawe 1984: (sum of x)² / (n · sum of x²).
double jain(const std::vector<std::uint64_t>& after, const std::vector<std::uint64_t>& before) {
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto share = static_cast<double>(after[i] - before[i]);
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(after.size()) * squares) : 0;
}

Latencies quantiles(std::vector<Duration> took) {
  if (took.empty()) return {};
  std::ranges::sort(took);
  const auto at = [&](double part) {
    return took[static_cast<std::size_t>(part * static_cast<double>(took.size() - 1))];
  };
  return {.median = at(0.5), .p99 = at(0.99), .p999 = at(0.999), .longest = took.back()};
}

}  // namespace

IncastResult Arrivals::measure(std::uint64_t wanted, const RunUntil& run_until) {
  const auto run_to = [&](std::uint64_t arrived) { return run_until([&, arrived] { return count() >= arrived; }); };
  took_.reserve(wanted);
  const Time warm = run_to(wanted / 10);
  const std::vector<std::uint64_t> warm_counts = of_client_;
  const std::uint64_t warm_count = count();
  const Time cooling = run_to(wanted / 10 * 9);
  const std::vector<std::uint64_t> cooling_counts = of_client_;
  const std::uint64_t cooling_count = count();
  const Time end = run_to(wanted);

  IncastResult result;
  result.complete = count() == wanted;
  result.delivered = count();
  result.messages_per_second = rate(count(), end - Time{});
  result.steady_messages_per_second = rate(cooling_count - warm_count, cooling - warm);
  result.fairness = jain(cooling_counts, warm_counts);
  result.latency = quantiles(took_);
  return result;
}

}  // namespace ayatori::simulated
