// Every algorithm, played with real data by the processes of a job over libacp's puts; started with
//
//     ACP_WIRES=udp python -m ayatori.processes N play_over_puts_test LIBRARY [SEED]
//     … play_over_puts_test lost        the highest rank leaves in the middle of a play
//
// LIBRARY has algorithms of others (examples/algorithm.c). Machines, roots and sizes are drawn from SEED.
#include <acp.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "acp_carrier.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/loaded/loaded_algorithm.hpp"
#include "ayatori/player/player.hpp"
#include "ayatori/player/sample_data.hpp"
#include "case_fixtures.hpp"

namespace {

using namespace ayatori;

[[noreturn]] void stop(const std::string& why) {
  std::fputs(fmt::format("rank {}: {}\n", acp_rank(), why).c_str(), stderr);
  std::_Exit(1);
}

template <typename T>
T need(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
}

Result<> play(const Schedule& schedule, AcpCarrier& carrier) {
  const auto self = static_cast<Rank>(acp_rank());
  SlotMemory memory(schedule, self);
  std::size_t bytes = 0;
  for (Slot slot = 0; slot < memory.slot_count(); ++slot) bytes += memory.slot(slot).size();
  if (auto added = carrier.add({memory.data(), bytes}); !added) return added;
  const RankProgram program = need(RankProgram::compile(schedule, self));
  Player player(program, carrier, add_bytes);
  fill_with_sample_data(schedule, self, memory);
  std::byte* const regions[] = {memory.data()};
  auto played = player.start(regions);
  if (played) played = player.finish();
  carrier.take_back(memory.data());
  if (!played) return played;
  return check_sample_data(schedule, self, memory);
}

/// Twice, so that all that is used again is.
void play_and_check(const std::string& name, const Schedule& schedule, AcpCarrier& carrier) {
  for (int turn = 0; turn < 2; ++turn) {
    if (auto played = play(schedule, carrier); !played) stop(fmt::format("{}: {}", name, played.error().message));
  }
}

void play_every_algorithm(AcpCarrier& carrier, Rank ranks, std::uint64_t seed) {
  // Small messages, some of either kind, and most of them large.
  for (const Bytes max_bytes : {Bytes{40}, Bytes{6000}, Bytes{ranks > 5 ? 30'000U : 200'000U}}) {
    for (const Algorithm& algorithm : algorithms()) {
      const ScheduleCase drawn = CaseDraw(seed + max_bytes, max_bytes).of(algorithm, ranks);
      const SchedulePtr schedule = need(make_schedule(algorithm.name, drawn.call, drawn.places, drawn.options));
      // Routers are no processes.
      if (schedule->participant_count() > ranks) continue;
      play_and_check(fmt::format("{}, seed {}", drawn.describe(), seed), *schedule, carrier);
    }
  }
}

void play_algorithms_of_others(AcpCarrier& carrier, Rank ranks, const std::string& library) {
  const Places places = places_of_ranks(ranks, 2);
  const std::string name = fmt::format("library:{}:two-level", library);
  for (const Bytes bytes : {Bytes{0}, Bytes{99}, Bytes{100'000}}) {
    const CollectiveCall call{Collective::broadcast, ranks, ranks - 1, bytes};
    play_and_check(name, *need(make_named_schedule(name, call, places)), carrier);
  }
}

/// Of a chain each rank has two neighbours, whatever the number of ranks.
void check_that_memory_is_for_neighbours_only(Rank ranks) {
  const auto carrier = need(AcpCarrier::make());
  const Bytes before = carrier->memory_in_use();
  AlgorithmOptions options;
  options.chunk_bytes = 1000;
  const CollectiveCall call{Collective::broadcast, ranks, 0, 100'000};
  play_and_check("chain", *need(make_schedule("chain", call, places_of_ranks(ranks, 1), options)), *carrier);
  const Bytes taken = carrier->memory_in_use() - before;
  if (taken > 2 * 6'400) stop(fmt::format("{} bytes for two neighbours", taken));
}

void check_that_too_little_memory_is_said() {
  const auto refused = AcpCarrier::make({.begin = 0, .bytes = Bytes{1} << 50});
  if (refused || !refused.error().message.contains("not in the starter memory")) stop("too much memory was granted");
  if (auto odd = AcpCarrier::make({.begin = 8, .bytes = 100'000}); odd) stop("an odd begin was taken");
}

/// Its neighbours must be told, and not wait for ever.
int lose_the_last() {
  const auto ranks = static_cast<Rank>(acp_procs());
  const auto carrier = need(AcpCarrier::make());
  const SchedulePtr schedule =
      need(make_schedule("ring", {Collective::allreduce, ranks, 0, 30'000}, places_of_ranks(ranks, 1), {}));
  play_and_check("ring", *schedule, *carrier);
  // Whoever leaves a barrier and dies at once may take its last word to the others with it.
  acp_sync();
  usleep(200'000);
  if (acp_rank() == acp_procs() - 1) std::_Exit(0);
  const auto played = play(*schedule, *carrier);
  if (played) stop("a play without its last rank came to an end");
  if (!played.error().message.contains("lost")) stop(played.error().message);
  std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (acp_init(&argc, &argv) != 0) stop(acp_error_message());
  if (argc == 2 && std::string_view(argv[1]) == "lost") return lose_the_last();
  if (argc < 2) stop("usage: play_over_puts_test LIBRARY [SEED]");
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto ranks = static_cast<Rank>(acp_procs());
  check_that_too_little_memory_is_said();
  check_that_memory_is_for_neighbours_only(ranks);
  {
    const auto carrier = need(AcpCarrier::make());
    play_every_algorithm(*carrier, ranks, seed);
    play_algorithms_of_others(*carrier, ranks, argv[1]);
  }
  return acp_finalize() == 0 ? 0 : 1;
}
