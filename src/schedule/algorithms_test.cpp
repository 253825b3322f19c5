// Every algorithm, for every number of ranks from 1 to 64 and some beyond, with places, roots and sizes drawn at
// random: the verifier must agree. A failure prints what to make again.
#include "ayatori/schedule/algorithms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>

#include "ayatori/base/random.hpp"
#include "ayatori/schedule/verify.hpp"

namespace ayatori {
namespace {

struct Case {
  const Algorithm* algorithm = nullptr;
  CollectiveCall call;
  Places places;
  AlgorithmOptions options;

  [[nodiscard]] std::string describe() const {
    return fmt::format("{} {}: {} ranks on {} machines, grid {}, root {}, {} bytes, radix {}, segment {}",
                       to_word(call.collective), algorithm->name, call.ranks, places.machine_count(),
                       fmt::join(places.dimensions, "x"), call.root, call.bytes, options.radix, options.segment);
  }
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  Case of(const Algorithm& algorithm, Rank ranks) {
    Case drawn{&algorithm, {}, algorithm.needs_grid ? on_grid(ranks) : anywhere(ranks), {}};
    const auto n = static_cast<Rank>(drawn.places.machine.size());
    drawn.call = {algorithm.collective, n, static_cast<Rank>(random_.below(n)), bytes(n)};
    if (random_.below(2) == 0) drawn.options.radix = static_cast<std::uint32_t>(2 + random_.below(7));
    if (algorithm.collective == Collective::alltoallv) drawn.options.pair_sizes = pair_sizes(n);
    if (random_.below(2) == 0) drawn.options.segment = 1 + drawn.call.bytes / (1 + random_.below(5));
    return drawn;
  }

 private:
  Bytes bytes(Rank n) {
    const std::array<Bytes, 7> sizes{0, 1, n - 1, n, 7 * n + 3, random_.below(5000), 1 << 20};
    return sizes[random_.below(sizes.size())];
  }

  /// Some pairs have much to say, some little, some nothing.
  PairSizes pair_sizes(Rank n) {
    std::vector<Bytes> sizes(std::size_t{n} * n);
    const std::uint64_t silent = random_.below(4);
    for (Bytes& size : sizes) size = random_.below(4) < silent ? 0 : random_.below(5000);
    return table_of_sizes(n, std::move(sizes));
  }

  /// `ranks` in a grid, if they have factors for one; otherwise in a row.
  Places on_grid(Rank ranks) {
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
    return places_on_grid(lengths, std::span(periodic).first(lengths.size()), per_machine);
  }

  /// Up to 8 ranks a machine, not equally many, dealt out in turns or one machine after the other; machines in groups,
  /// some of them gateways.
  Places anywhere(Rank ranks) {
    if (random_.below(3) == 0) return on_grid(ranks);
    Places places;
    const auto most = static_cast<std::uint32_t>(1 + random_.below(8));
    const bool in_turns = random_.below(3) == 0;
    const std::uint32_t machines = (ranks + most - 1) / most;
    for (Rank r = 0; r < ranks; ++r) {
      const bool next = places.machine.empty() || random_.below(most) == 0;
      const std::uint32_t last = places.machine.empty() ? 0 : places.machine.back() + (next ? 1 : 0);
      places.machine.push_back(in_turns ? r % machines : last);
    }
    const std::uint32_t count = in_turns ? std::min(ranks, machines) : places.machine.back() + 1;
    const std::uint32_t groups = static_cast<std::uint32_t>(1 + random_.below(5));
    const bool all_gateways = random_.below(2) == 0;
    for (std::uint32_t machine = 0; machine < count; ++machine) {
      places.group.push_back(std::min(machine, static_cast<std::uint32_t>(random_.below(groups))));
      places.gateway.push_back(all_gateways || random_.below(2) == 0);
    }
    number_in_order(places.group);
    return places;
  }

  /// Places promise that numbers appear in order.
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
};

std::string verdict(const Case& c) {
  const auto schedule = make_schedule(c.algorithm->name, c.call, c.places, c.options);
  if (!schedule) return schedule.error().message;
  const auto ok = verify(**schedule);
  return ok ? "right" : ok.error().message;
}

class EveryAlgorithm : public testing::TestWithParam<Collective> {};

void expect_right(const Algorithm& algorithm, Rank ranks, std::uint64_t seed) {
  const Case drawn = Draw(seed).of(algorithm, ranks);
  ASSERT_EQ(verdict(drawn), "right") << drawn.describe() << ", seed " << seed;
}

/// Counts beyond 64 cost as much as all up to 64 together, so each algorithm has one of them: a prime or a power.
TEST_P(EveryAlgorithm, IsRightForAnyRanksPlacesRootsAndSizes) {
  constexpr std::array<Rank, 4> large{67, 81, 97, 128};
  std::size_t next_large = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != GetParam()) continue;
    for (Rank ranks = 1; ranks <= 64; ++ranks) ASSERT_NO_FATAL_FAILURE(expect_right(algorithm, ranks, ranks));
    const Rank ranks = large[next_large++ % large.size()];
    ASSERT_NO_FATAL_FAILURE(expect_right(algorithm, ranks, ranks));
    for (std::uint64_t seed = 1000; seed < 1010; ++seed) {
      ASSERT_NO_FATAL_FAILURE(expect_right(algorithm, static_cast<Rank>(1 + Random(seed).below(24)), seed));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryAlgorithm,
                         testing::Values(Collective::alltoall, Collective::alltoallv, Collective::broadcast,
                                         Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                         Collective::allgather, Collective::gather, Collective::scatter,
                                         Collective::barrier, Collective::halo),
                         [](const auto& test) { return std::string(to_word(test.param)); });

// ---------------------------------------------------------------------------------------------------------------------

TEST(MakeSchedule, SaysWhatIsWrong) {
  const auto error_of = [](std::string_view name, const CollectiveCall& call, const Places& places,
                           const AlgorithmOptions& options = {}) {
    const auto made = make_schedule(name, call, places, options);
    return made ? "no error" : made.error().message;
  };
  const Places four = places_of_ranks(4);
  AlgorithmOptions unary, repeating, six_points;
  unary.radix = 1;
  repeating.order = {1, 3, 3};
  six_points.stencil = {3, 2};
  EXPECT_EQ(error_of("rings", {Collective::alltoall, 4, 0, 1}, four), "no alltoall algorithm is called 'rings'");
  EXPECT_EQ(error_of("ring", {Collective::alltoall, 5, 0, 1}, four),
            "the call has 5 ranks, their places are those of 4");
  EXPECT_EQ(error_of("binomial", {Collective::broadcast, 4, 4, 1}, four), "root 4 of 4 ranks (they count from 0)");
  EXPECT_EQ(error_of("binomial", {Collective::broadcast, 0, 0, 1}, {}), "a collective needs at least one rank");
  EXPECT_EQ(error_of("trinaryx3", {Collective::broadcast, 4, 0, 1}, four),
            "trinaryx3 needs machines that form a grid, and these form none");
  EXPECT_EQ(error_of("knomial", {Collective::broadcast, 4, 0, 1}, four, unary),
            "a k-nomial tree needs a radix of at least 2");
  EXPECT_EQ(error_of("planned", {Collective::alltoall, 4, 0, 1}, four, repeating),
            "the order of a planned alltoall of 4 ranks must hold each distance 1 ... 3 once");
  EXPECT_EQ(error_of("halo", {Collective::halo, 4, 0, 1}, four, six_points),
            "the stencil has 6 points, but there are 4 ranks");
  EXPECT_EQ(error_of("shift", {Collective::alltoall, 4, 0, ~Bytes{0}}, four),
            "18446744073709551615 bytes for each of 4 ranks can't be counted");
  AlgorithmOptions sized, too_large;
  sized.pair_sizes = table_of_sizes(4, std::vector<Bytes>(16, 1));
  too_large.pair_sizes = {4, [](Rank, Rank) { return ~Bytes{0} / 128; }};
  EXPECT_EQ(error_of("shift", {Collective::alltoallv, 4, 0, 0}, four), "alltoallv needs a size for each pair of ranks");
  EXPECT_EQ(error_of("shift", {Collective::alltoall, 4, 0, 1}, four, sized),
            "a size for each pair is for alltoallv, not for alltoall");
  EXPECT_EQ(error_of("shift", {Collective::alltoallv, 5, 0, 0}, places_of_ranks(5), sized),
            "the call has 5 ranks, the sizes are those of 4");
  EXPECT_EQ(error_of("shift", {Collective::alltoallv, 4, 0, 0}, four, too_large),
            "the bytes of all pairs of 4 ranks can't be counted");
  EXPECT_EQ(make_schedule("rings", {Collective::halo, 4, 0, 1}, four).error().hint, "there are halo");
}

TEST(MakeSchedule, SegmentsChangeWhatIsPipelinedAndNothingElse) {
  const std::array<std::uint32_t, 3> lengths{2, 3, 2};
  const std::array<bool, 3> rings{true, true, true};
  const Places places = places_on_grid(lengths, rings);
  AlgorithmOptions long_ones, short_ones;
  long_ones.segment = 1 << 16;
  short_ones.segment = 1 << 10;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == Collective::alltoallv) continue;  // has sizes instead
    const CollectiveCall call{algorithm.collective, 12, 0, 1 << 16};
    const auto whole = make_schedule(algorithm.name, call, places, long_ones);
    const auto pieces = make_schedule(algorithm.name, call, places, short_ones);
    ASSERT_TRUE(whole && pieces) << algorithm.name;
    EXPECT_EQ((*pieces)->slot_count() > (*whole)->slot_count(), algorithm.pipelined) << algorithm.name;
    if (!algorithm.pipelined) continue;
    EXPECT_NEAR(static_cast<double>((*pieces)->slot_bytes(0, 0)), 1 << 10, 1 << 7) << algorithm.name;
  }
}

TEST(MakeSchedule, NamesAreUniqueWithinACollective) {
  for (const Algorithm& a : algorithms()) {
    for (const Algorithm& b : algorithms()) {
      EXPECT_TRUE(&a == &b || a.collective != b.collective || a.name != b.name) << a.name;
    }
  }
}

}  // namespace
}  // namespace ayatori
