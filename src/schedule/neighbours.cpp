// The barrier that spreads by powers of two, and the exchange with neighbours on a grid.
#include <algorithm>
#include <bit>
#include <numeric>

#include "families.hpp"

namespace ayatori {

// Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, 1988: after step k, r has heard of the 2^(k+1)
// ranks up to itself.
Result<SchedulePtr> make_dissemination(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{0, 1, 0, 0});
  program->then(phase(std::bit_width(n - 1), [n](Rank r, std::size_t step, StepActions& actions) {
    const Rank distance = Rank{1} << step;
    actions.send((r + distance) % n, SlotRange{});
    actions.receive((r + n - distance) % n, SlotRange{});
  }));
  return program;
}

namespace {

struct Stencil {
  std::vector<std::uint32_t> lengths;
  std::vector<bool> periodic;
  std::shared_ptr<const MachineRanks> ranks;  ///< nullptr: the points are the ranks

  [[nodiscard]] Rank rank_at(std::uint32_t point) const {
    return ranks ? ranks->ranks(ranks->machine_at(point)).front() : point;
  }
  [[nodiscard]] std::uint32_t point_of(Rank rank) const {
    return ranks ? ranks->places().point[ranks->machine(rank)] : rank;
  }
};

/// Factors of n as equal as they can be had by giving the largest prime to the smallest factor.
std::vector<std::uint32_t> balanced(Rank n, std::size_t factors) {
  std::vector<std::uint32_t> primes;
  for (Rank p = 2; n > 1; ++p) {
    for (; n % p == 0; n /= p) primes.push_back(p);
    if (std::uint64_t{p} * p > n && n > 1) primes.push_back(std::exchange(n, 1));
  }
  std::vector<std::uint32_t> found(factors, 1);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime) {
    *std::min_element(found.begin(), found.end()) *= *prime;
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

Result<Stencil> stencil_of(const CollectiveCall& call, const Places& places, const AlgorithmOptions& options) {
  if (!options.stencil.empty()) {
    std::uint64_t points = 1;
    for (const std::uint32_t length : options.stencil) points = std::min<std::uint64_t>(points * length, no_id);
    if (points != call.ranks) return fail("the stencil has {} points, but there are {} ranks", points, call.ranks);
    auto periodic = options.stencil_periodic;
    if (periodic.empty()) periodic.assign(options.stencil.size(), true);
    if (periodic.size() != options.stencil.size()) return fail("stencil and stencil_periodic differ in length");
    return Stencil{options.stencil, periodic, nullptr};
  }
  if (!places.dimensions.empty() && places.machine.size() == places.machine_count()) {
    return Stencil{places.dimensions, places.periodic, std::make_shared<const MachineRanks>(places)};
  }
  return Stencil{balanced(call.ranks, 3), {true, true, true}, nullptr};
}

}  // namespace

// Receives are posted with the neighbour below first: on a ring of two both neighbours are one rank, and what it sends
// first, upwards, comes from below.
Result<SchedulePtr> make_halo(const CollectiveCall& call, const Places& places, const AlgorithmOptions& options) {
  auto stencil = stencil_of(call, places, options);
  if (!stencil) return Failure(stencil.error());
  const auto faces = static_cast<std::uint32_t>(2 * stencil->lengths.size());
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, 2 * faces, 0});
  program->set_block_count(faces);
  program->then(phase(1, [grid = std::move(*stencil), faces](Rank r, std::size_t, StepActions& actions) {
    const std::uint32_t point = grid.point_of(r);
    std::uint32_t stride = 1;
    for (std::uint32_t i = faces / 2; i-- > 0; stride *= grid.lengths[i]) {
      const std::uint32_t length = grid.lengths[i];
      const std::uint32_t here = point / stride % length;
      const std::uint32_t base = point - here * stride;
      const bool has_above = grid.periodic[i] || here + 1 < length;
      const bool has_below = grid.periodic[i] || here > 0;
      const Slot up = 2 * i;
      const Slot down = 2 * i + 1;
      if (grid.periodic[i] && length == 1) {
        actions.copy({up, 1}, faces + down);
        actions.copy({down, 1}, faces + up);
        continue;
      }
      const Rank above = has_above ? grid.rank_at(base + (here + 1) % length * stride) : no_id;
      const Rank below = has_below ? grid.rank_at(base + (here + length - 1) % length * stride) : no_id;
      if (has_above) actions.send(above, SlotRange{up, 1});
      if (has_below) actions.send(below, SlotRange{down, 1});
      if (has_below) actions.receive(below, SlotRange{faces + down, 1});
      if (has_above) actions.receive(above, SlotRange{faces + up, 1});
    }
  }));
  return program;
}

}  // namespace ayatori
