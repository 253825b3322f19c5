// The barrier that spreads by powers of two, and the exchange with neighbours on a grid.
#include <algorithm>
#include <bit>
#include <numeric>

#include "families.hpp"
#include "grid_points.hpp"

namespace ayatori {

// Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, 1988: after step k, r has heard of the 2^(k+1)
// ranks up to itself.
Result<SchedulePtr> make_dissemination(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{0, 1, 0, 0});
  program->then(phase(std::bit_width(n - 1), [n](Rank r, std::size_t step, StepActions& actions) {
    const Rank distance = Rank{1} << step;
    actions.send((r + distance) % n, SlotRange{});
    actions.receive((r + n - distance) % n, SlotRange{});
  }));
  return program;
}

// Two tokens go round from rank 0, one after the other: the first collects, the second releases.
Result<SchedulePtr> make_double_ring(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{0, 1, 0, 0});
  program->then(phase(n > 1 ? 2 * std::size_t{n} : 0, [n](Rank r, std::size_t step, StepActions& actions) {
    const auto from = static_cast<Rank>(step % n);
    if (r == from) actions.send((r + 1) % n, SlotRange{});
    if (r == (from + 1) % n) actions.receive(from, SlotRange{});
  }));
  return program;
}

// Ranks from the largest power of two on signal a lower one that they have begun, and get a signal when all have.
Result<SchedulePtr> make_doubling_barrier(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const Rank core = std::bit_floor(n);
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{0, 1, 0, 0});
  const auto fold = [n, core](bool upwards) {
    return phase(n > core ? 1 : 0, [=](Rank r, std::size_t, StepActions& actions) {
      const Rank partner = r ^ core;
      if (partner >= n) return;
      if ((r < core) == upwards) {
        actions.send(partner, SlotRange{});
      } else {
        actions.receive(partner, SlotRange{});
      }
    });
  };
  program->then(fold(false));
  program->then(phase(std::bit_width(core) - 1, [core](Rank r, std::size_t step, StepActions& actions) {
    if (r >= core) return;
    actions.send(r ^ Rank{1} << step, SlotRange{});
    actions.receive(r ^ Rank{1} << step, SlotRange{});
  }));
  program->then(fold(true));
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
    return ranks ? ranks->placement().point[ranks->machine(rank)] : rank;
  }
  [[nodiscard]] std::uint32_t face_count() const { return static_cast<std::uint32_t>(2 * lengths.size()); }

  /// The rank above in dimension face / 2 if `face` is even, otherwise the rank below; no_id where the grid ends.
  [[nodiscard]] Rank neighbour(Rank rank, std::uint32_t face) const {
    const std::uint32_t dimension = face / 2;
    const bool up = face % 2 == 0;
    std::uint32_t stride = 1;
    for (std::size_t i = lengths.size(); i-- > dimension + 1;) stride *= lengths[i];
    const std::uint32_t point = point_of(rank);
    const std::uint32_t length = lengths[dimension];
    const std::uint32_t here = point / stride % length;
    if (!periodic[dimension] && here == (up ? length - 1 : 0)) return no_id;
    const std::uint32_t there = (here + (up ? 1 : length - 1)) % length;
    return rank_at(point - here * stride + there * stride);
  }
};

Result<Stencil> stencil_of(const CollectiveCall& call, const Placement& placement, const AlgorithmOptions& options) {
  if (!options.stencil.empty()) {
    std::uint64_t points = 1;
    for (const std::uint32_t length : options.stencil) points = std::min<std::uint64_t>(points * length, no_id);
    if (points != call.ranks) return fail("the stencil has {} points, but there are {} ranks", points, call.ranks);
    auto periodic = options.stencil_periodic;
    if (periodic.empty()) periodic.assign(options.stencil.size(), true);
    if (periodic.size() != options.stencil.size()) return fail("stencil and stencil_periodic differ in length");
    return Stencil{options.stencil, periodic, nullptr};
  }
  if (!placement.dimensions.empty() && placement.machine.size() == placement.machine_count()) {
    return Stencil{placement.dimensions, placement.periodic, std::make_shared<const MachineRanks>(placement)};
  }
  return Stencil{balanced_lengths(call.ranks, 3), {true, true, true}, nullptr};
}

}  // namespace

// Receives are posted with the neighbour below first: on a ring of two both neighbours are one rank, and what it sends
// first, upwards, comes from below. On a ring of one a rank is its own neighbour.
Result<SchedulePtr> make_halo(const CollectiveCall& call, const Placement& placement, const AlgorithmOptions& options) {
  auto made = stencil_of(call, placement, options);
  if (!made) return Failure(made.error());
  const auto stencil = std::make_shared<const Stencil>(std::move(*made));
  const std::uint32_t faces = stencil->face_count();
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, 2 * faces, 0});
  program->set_block_count(faces);
  program->set_neighbours([stencil](Rank rank, std::uint32_t face) { return stencil->neighbour(rank, face); });
  program->then(phase(1, [stencil, faces](Rank r, std::size_t, StepActions& actions) {
    for (std::uint32_t dimension = faces / 2; dimension-- > 0;) {
      const Slot up = 2 * dimension;
      const Slot down = up + 1;
      const Rank above = stencil->neighbour(r, up);
      const Rank below = stencil->neighbour(r, down);
      if (above == r) {
        actions.copy({up, 1}, faces + down);
        actions.copy({down, 1}, faces + up);
        continue;
      }
      if (above != no_id) actions.send(above, SlotRange{up, 1});
      if (below != no_id) actions.send(below, SlotRange{down, 1});
      if (below != no_id) actions.receive(below, SlotRange{faces + down, 1});
      if (above != no_id) actions.receive(above, SlotRange{faces + up, 1});
    }
  }));
  return program;
}

}  // namespace ayatori
