#include "ayatori/simulated/scenario.hpp"

#include <algorithm>

namespace ayatori::simulated {

namespace {

Duration time_at(double gigabytes_per_second, std::size_t bytes) {
  if (gigabytes_per_second <= 0) return Duration(0);
  return Duration(static_cast<std::int64_t>(static_cast<double>(bytes) / gigabytes_per_second));
}

}  // namespace

Duration time_on_link(const Scenario& scenario, std::size_t bytes) {
  return time_at(scenario.gigabytes_per_second, bytes);
}

Duration arrival_spacing(const Scenario& scenario, std::size_t bytes) {
  return std::max(time_on_link(scenario, bytes), scenario.adapter_cost);
}

Duration receive_time(const Scenario& scenario, std::size_t bytes) {
  Duration time = scenario.receive_cost + time_at(scenario.copy_gigabytes_per_second, bytes);
  if (scenario.receive_buffers > scenario.cached_buffers) {
    const double cold = 1 - static_cast<double>(scenario.cached_buffers) / scenario.receive_buffers;
    time += Duration(static_cast<std::int64_t>(cold * static_cast<double>(scenario.cold_buffer_cost.count())));
  }
  return time;
}

Result<> check(const Scenario& scenario) {
  for (const auto& [field, value] : {std::pair{"drop", scenario.drop}, std::pair{"duplicate", scenario.duplicate},
                                     std::pair{"reorder", scenario.reorder}}) {
    if (!(value >= 0 && value <= 1)) return fail("{} is {}; a probability is 0 to 1", field, value);
  }
  for (const auto& [field, value] :
       {std::pair{"latency", scenario.latency}, std::pair{"jitter", scenario.jitter},
        std::pair{"reorder_delay", scenario.reorder_delay}, std::pair{"receive_cost", scenario.receive_cost},
        std::pair{"send_cost", scenario.send_cost}, std::pair{"retry_timeout", scenario.retry_timeout},
        std::pair{"adapter_cost", scenario.adapter_cost}, std::pair{"cold_buffer_cost", scenario.cold_buffer_cost}}) {
    if (value.count() < 0) return fail("{} is {} ns; it can't be less than 0", field, value.count());
  }
  for (const auto& [field, value] : {std::pair{"gigabytes_per_second", scenario.gigabytes_per_second},
                                     std::pair{"copy_gigabytes_per_second", scenario.copy_gigabytes_per_second}}) {
    if (!is_link_rate(value)) return fail("{} is {}; it must be 0 (without limit), or 1e-6 to 1e6", field, value);
  }
  for (const auto& [field, value] :
       {std::pair{"rnr_retry", scenario.rnr_retry}, std::pair{"retry_count", scenario.retry_count}}) {
    if (value > max_retries) return fail("{} is {}; it must be 0 to {}", field, value, max_retries);
  }
  if (scenario.receive_buffers == 0) return fail("receive_buffers is 0; with none, nothing can be received");
  if (scenario.control_buffers == 0) return fail("control_buffers is 0; with none, nothing can be acknowledged");
  return {};
}

}  // namespace ayatori::simulated
