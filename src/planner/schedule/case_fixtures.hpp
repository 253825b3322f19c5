#pragma once
/// \file
/// Collectives drawn at random for tests: placements, roots and sizes for an algorithm and a number of ranks.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {

/// Of tests with a collective as their parameter: all of them, and their names.
inline constexpr Collective every_collective[] = {
    Collective::alltoall,  Collective::alltoallv,      Collective::broadcast, Collective::reduce,
    Collective::allreduce, Collective::reduce_scatter, Collective::allgather, Collective::gather,
    Collective::scatter,   Collective::barrier,        Collective::halo};

inline std::string name_of_collective(const testing::TestParamInfo<Collective>& test) {
  return std::string(to_word(test.param));
}

/// A collective, an algorithm for it, and where its ranks are.
struct ScheduleCase {
  const Algorithm* algorithm = nullptr;
  CollectiveCall call;
  Placement placement;
  AlgorithmOptions options;

  [[nodiscard]] std::string describe() const {
    return fmt::format("{} {}: {} ranks on {} machines, grid {}, root {}, {} bytes, radix {}, chunk {}",
                       to_word(call.collective), algorithm->name, call.ranks, placement.machine_count(),
                       fmt::join(placement.dimensions, "x"), call.root, call.bytes, options.radix, options.chunk_bytes);
  }
};

/// Draws cases at random.
class CaseDraw {
 public:
  /// `max_bytes` of one call, or of one pair of an alltoallv.
  explicit CaseDraw(std::uint64_t seed, Bytes max_bytes = 1 << 20) : random_(seed), max_bytes_(max_bytes) {}

  ScheduleCase of(const Algorithm& algorithm, Rank ranks) {
    ScheduleCase drawn{&algorithm, {}, algorithm.needs_grid ? on_grid(ranks) : anywhere(ranks), {}};
    const auto n = static_cast<Rank>(drawn.placement.machine.size());
    drawn.call = {algorithm.collective, n, static_cast<Rank>(random_.below(n)), bytes(n)};
    if (random_.below(2) == 0) drawn.options.radix = static_cast<std::uint32_t>(2 + random_.below(7));
    if (algorithm.collective == Collective::alltoallv) drawn.options.pair_sizes = pair_sizes(n);
    if (algorithm.name == "path-aware" && random_.below(4) != 0) drawn.options.planned_steps = planned_steps(n);
    if (random_.below(2) == 0) drawn.options.chunk_bytes = 1 + drawn.call.bytes / (1 + random_.below(5));
    return drawn;
  }

 private:
  Bytes bytes(Rank n) {
    const std::array<Bytes, 7> sizes{0, 1, n - 1, n, 7 * n + 3, random_.below(5000), 1 << 20};
    return std::min(sizes[random_.below(sizes.size())], max_bytes_);
  }

  /// Shifts in random order among ranks in random order, with silent steps in between.
  std::shared_ptr<const PlannedSteps> planned_steps(Rank n) {
    std::vector<Rank> distances(n + random_.below(4));
    std::iota(distances.begin(), distances.end(), Rank{0});
    random_.shuffle(std::span(distances));
    std::vector<Rank> order(n);
    std::iota(order.begin(), order.end(), Rank{0});
    random_.shuffle(std::span(order));
    std::vector<Rank> destinations;
    for (const Rank distance : distances) {
      const std::size_t begin = destinations.size();
      destinations.resize(begin + n, no_id);
      if (distance == 0 || distance >= n) continue;
      for (Rank i = 0; i < n; ++i) destinations[begin + order[i]] = order[(i + distance) % n];
    }
    return std::make_shared<const PlannedSteps>(PlannedSteps::of(n, std::move(destinations)).value());
  }

  /// Some pairs have much to say, some little, some nothing.
  PairSizes pair_sizes(Rank n) {
    std::vector<Bytes> sizes(std::size_t{n} * n);
    const std::uint64_t silent = random_.below(4);
    for (Bytes& size : sizes)
      size = random_.below(4) < silent ? 0 : random_.below(std::min<Bytes>(5000, max_bytes_ + 1));
    return table_of_sizes(n, std::move(sizes));
  }

  /// `ranks` in a grid, if they have factors for one; otherwise in a row.
  Placement on_grid(Rank ranks) {
    std::vector<std::uint32_t> lengths;
    std::uint32_t per_machine = 1;
    Rank left = ranks;
    for (std::uint32_t p = 2; left > 1; ++p) {
      for (; left % p == 0; left /= p) {
        const std::uint64_t where = random_.below(4);
        if (where == 3 && per_machine * p <= 8) {
          per_machine *= p;
        } else if (where < 2 && !lengths.empty()) {
          lengths[random_.below(lengths.size())] *= p;
        } else if (lengths.size() < 4) {
          lengths.push_back(p);
        } else {
          lengths[0] *= p;
        }
      }
    }
    if (lengths.empty()) lengths = {1};
    std::array<bool, 4> periodic{};
    for (bool& ring : periodic) ring = random_.below(3) > 0;
    return placement_on_grid(lengths, std::span(periodic).first(lengths.size()), per_machine);
  }

  /// Up to 8 ranks a machine, not equally many, dealt out round-robin or one machine after the other; machines in
  /// groups, some of them gateways.
  Placement anywhere(Rank ranks) {
    if (random_.below(3) == 0) return on_grid(ranks);
    Placement placement;
    const auto most = static_cast<std::uint32_t>(1 + random_.below(8));
    const bool round_robin = random_.below(3) == 0;
    const std::uint32_t machines = (ranks + most - 1) / most;
    for (Rank r = 0; r < ranks; ++r) {
      const bool next = placement.machine.empty() || random_.below(most) == 0;
      const std::uint32_t last = placement.machine.empty() ? 0 : placement.machine.back() + (next ? 1 : 0);
      placement.machine.push_back(round_robin ? r % machines : last);
    }
    const std::uint32_t count = round_robin ? std::min(ranks, machines) : placement.machine.back() + 1;
    const std::uint32_t groups = static_cast<std::uint32_t>(1 + random_.below(5));
    const bool all_gateways = random_.below(2) == 0;
    for (std::uint32_t machine = 0; machine < count; ++machine) {
      placement.group.push_back(std::min(machine, static_cast<std::uint32_t>(random_.below(groups))));
      placement.gateway.push_back(all_gateways || random_.below(2) == 0);
    }
    number_in_order(placement.group);
    return placement;
  }

  /// In a placement numbers appear in order.
  static void number_in_order(std::vector<std::uint32_t>& numbers) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t& number : numbers) {
      const auto known = std::find(order.begin(), order.end(), number);
      const auto position = static_cast<std::uint32_t>(known - order.begin());
      if (known == order.end()) order.push_back(number);
      number = position;
    }
  }

  Random random_;
  Bytes max_bytes_;
};

}  // namespace ayatori
