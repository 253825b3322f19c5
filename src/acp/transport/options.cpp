#include "ayatori/transport/options.hpp"

namespace ayatori::transport {

namespace {

Result<> within(const char* field, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return fail("{} is {}; it must be {} to {}", field, value, least, most);
}

Result<> within(const char* field, Duration value, std::chrono::seconds most) {
  if (value.count() > 0 && value <= most) return {};
  return fail("{} is {} ns; it must be more than 0, and at most {} s", field, value.count(), most.count());
}

Result<> check_sizes(const Options& options) {
  constexpr std::uint64_t max_contexts = 1U << 28;
  constexpr std::uint64_t max_buffers = 1U << 24;  // Admission counts packets of many times as much credit
  for (const auto& [field, value, least, most] :
       {std::tuple{"datagram_bytes", std::uint64_t{options.datagram_bytes}, 192UL, 65'507UL},
        std::tuple{"outgoing_contexts", std::uint64_t{options.outgoing_contexts}, 1UL, max_contexts},
        std::tuple{"incoming_contexts", std::uint64_t{options.incoming_contexts}, 1UL, max_contexts},
        std::tuple{"messages", std::uint64_t{options.messages}, 1UL, max_contexts},
        std::tuple{"replies", std::uint64_t{options.replies}, 1UL, max_contexts},
        std::tuple{"assemblies", std::uint64_t{options.assemblies}, 1UL, max_contexts},
        std::tuple{"epoch_cells", std::uint64_t{options.epoch_cells}, 1UL, max_contexts},
        std::tuple{"operations", std::uint64_t{options.operations}, 1UL, max_contexts},
        std::tuple{"targets", std::uint64_t{options.targets}, 1UL, max_contexts},
        std::tuple{"initiators", std::uint64_t{options.initiators}, 1UL, max_contexts},
        std::tuple{"window", std::uint64_t{options.window}, 1UL, std::uint64_t{max_window}},
        std::tuple{"initial_window", std::uint64_t{options.initial_window}, 1UL, std::uint64_t{options.window}},
        std::tuple{"receive_buffers", std::uint64_t{options.receive_buffers}, 1UL, max_buffers},
        std::tuple{"acknowledge_every", std::uint64_t{options.acknowledge_every}, 1UL, std::uint64_t{max_window}},
        std::tuple{"resends_per_call", std::uint64_t{options.retransmission.resends_per_call}, 1UL, max_contexts}}) {
    if (auto good = within(field, value, least, most); !good) return good;
  }
  return {};
}

/// Times are added, and timers double up to sixteen times: the results must fit into 64 bits of nanoseconds.
Result<> check_times(const Options& options) {
  constexpr std::chrono::seconds longest_timer = std::chrono::hours(1);
  constexpr std::chrono::seconds longest_life(1'000'000'000);
  const Retransmission& retransmission = options.retransmission;
  for (const auto& [field, value, most] :
       {std::tuple{"fixed_timeout", retransmission.fixed_timeout, longest_timer},
        std::tuple{"initial_timeout", retransmission.initial_timeout, longest_timer},
        std::tuple{"shortest_timeout", retransmission.shortest_timeout, longest_timer},
        std::tuple{"longest_timeout", retransmission.longest_timeout, longest_timer},
        std::tuple{"acknowledge_within", options.acknowledge_within, longest_timer},
        std::tuple{"close_after", options.close_after, longest_life},
        std::tuple{"give_up_after", options.give_up_after, longest_life}}) {
    if (auto good = within(field, value, most); !good) return good;
  }
  if (retransmission.longest_timeout < retransmission.shortest_timeout) {
    return fail("longest_timeout is less than shortest_timeout");
  }
  return {};
}

}  // namespace

Result<> check(const Options& options) {
  if (auto good = check_sizes(options); !good) return good;
  return check_times(options);
}

Options stop_and_wait(Duration timeout) {
  Options options;
  options.window = 1;
  options.initial_window = 1;
  options.coalesce = false;
  options.acknowledge_every = 1;
  options.retransmission.timer = Retransmission::Timer::fixed;
  options.retransmission.fixed_timeout = timeout;
  options.retransmission.admission = false;
  return options;
}

}  // namespace ayatori::transport
