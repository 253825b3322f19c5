/// A stencil on an array of N × N numbers, in blocks, whose processes exchange the elements at their borders while they
/// compute the others. Started by the launcher of the MPI:
///
///     stencil_mpi_FAMILY WAY N STEPS DIMENSIONS REPEATS [WARM_UP_SECONDS [ROWS]]
///
/// DIMENSIONS: 1 (blocks of columns) or 2. WAY is how the borders are exchanged:
///
///     none           MPI_Isend and MPI_Irecv, waited for before anything is computed: no overlap
///     isend          the same, waited for after the inner elements
///     test           the same, with MPI_Testall after each ROWS rows (default 16)
///     persistent     persistent requests
///     neighbourhood  MPI_Ineighbor_alltoallv
///     fence          MPI_Put between fences
///     put            MPI_Put, a flush, and a counter that is written and read atomically
///     put-printed    as a paper prints it, which MPI does not guarantee to be right (one_sided.hpp)
///     get            MPI_Get
///     acp            libacp's puts
///
/// Rank 0 prints one JSON line: `total`, the seconds of all steps, and `communication`, those of them that the exchange
/// took, each on the slowest rank, as median and quartiles over the repeats; `samples`, all of them; `places`, each
/// rank's host, machine and cores. After each repeat every process compares
/// its block, bit by bit, with what one process alone computes; `wrong` counts the elements that differ.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "acp_halo.hpp"
#include "field.hpp"
#include "halo.hpp"
#include "harness/leave_mpi.h"
#include "harness/rank_placement.hpp"
#include "one_sided.hpp"
#include "two_sided.hpp"

namespace {

using namespace ayatori::bench;

int rank = 0;
int ranks = 1;

[[noreturn]] void give_up(const std::string& what) {
  if (rank == 0) std::fprintf(stderr, "stencil: %s\n", what.c_str());
  MPI_Finalize();
  std::exit(1);
}

struct Settings {
  std::string way;
  std::size_t n = 0;
  int steps = 0;
  int dimensions = 1;
  int repeats = 1;
  double warm_up_seconds = 0;  ///< of repeats that don't count: until the plug-in has tried its thread
  int rows_between_tests = 16;
};

Settings settings_of(int argc, char** argv) {
  if (argc < 6) give_up("stencil WAY N STEPS DIMENSIONS REPEATS [WARM_UP_SECONDS [ROWS]]");
  Settings settings{argv[1], std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]), std::atoi(argv[4]),
                    std::atoi(argv[5])};
  if (argc > 6) settings.warm_up_seconds = std::atof(argv[6]);
  if (argc > 7) settings.rows_between_tests = std::atoi(argv[7]);
  if (settings.n < 1 || settings.n > 65536) give_up("N is from 1 to 65536");
  if (settings.steps < 1 || settings.repeats < 1 || settings.rows_between_tests < 1) {
    give_up("STEPS, REPEATS and ROWS are at least 1");
  }
  if (settings.dimensions != 1 && settings.dimensions != 2) give_up("DIMENSIONS is 1 or 2");
  return settings;
}

HaloPlan plan_of(const Settings& settings, const ProcessGrid& grid, const Field& field) {
  HaloPlan plan;
  for (const Side side : all_sides) {
    plan.neighbours[index_of(side)] = grid.neighbour(rank, side);
    plan.lengths[index_of(side)] = field.length(side);
  }
  for (int other = 0; other < ranks; ++other) {
    const Block block = Block::of(settings.n, grid, other);
    plan.longest = std::max({plan.longest, block.rows, block.columns});
  }
  plan.polls_every = settings.way == "test" ? settings.rows_between_tests : 0;
  return plan;
}

std::unique_ptr<Halo> halo_of(const std::string& way, const HaloPlan& plan) {
  if (way == "none") return std::make_unique<NonBlockingHalo>(plan, true);
  if (way == "isend" || way == "test") return std::make_unique<NonBlockingHalo>(plan, false);
  if (way == "persistent") return std::make_unique<PersistentHalo>(plan);
  if (way == "neighbourhood") return std::make_unique<NeighbourhoodHalo>(plan);
  if (way == "fence") return std::make_unique<FenceHalo>(plan);
  if (way == "put") return std::make_unique<PassiveHalo>(plan);
  if (way == "put-printed") return std::make_unique<PrintedPassiveHalo>(plan);
  if (way == "get") return std::make_unique<GetHalo>(plan);
  if (way == "acp") return std::make_unique<AcpHalo>(plan);
  give_up("no way is called '" + way + "'");
}

/// Seconds of the exchange in one step, on this rank.
double step(Field& field, Halo& halo, const HaloPlan& plan) {
  for (const Side side : all_sides) {
    if (plan.neighbours[index_of(side)]) field.pack(side, halo.out(side));
  }
  const double begin = MPI_Wtime();
  halo.begin();
  const double begun = MPI_Wtime();
  field.step_inside([&] { halo.poll(); });
  const double computed = MPI_Wtime();
  halo.end();
  const double end = MPI_Wtime();
  for (const Side side : all_sides) {
    if (plan.neighbours[index_of(side)]) field.unpack(side, halo.in(side));
  }
  field.step_at_edges();
  field.end_step();
  return begun - begin + end - computed;
}

/// A process that would wait for ever says so, and ends the job.
void end_if_in_trouble(const Settings& settings, const Halo& halo, int at_step) {
  const std::string trouble = halo.trouble();
  if (trouble.empty()) return;
  std::printf("{\"way\": \"%s\", \"stuck\": \"%s\", \"rank\": %d, \"step\": %d}\n", settings.way.c_str(),
              trouble.c_str(), rank, at_step + 1);
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

struct Times {
  std::vector<double> total;
  std::vector<double> communication;
};

/// Adds to `times`, and returns the seconds in all: the same on all ranks.
double run(const Settings& settings, const HaloPlan& plan, Field& field, Halo& halo, Times& times) {
  field.reset();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  double communication = 0;
  for (int i = 0; i < settings.steps; ++i) {
    communication += step(field, halo, plan);
    end_if_in_trouble(settings, halo, i);
  }
  double seconds[] = {MPI_Wtime() - begin, communication};
  MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  times.total.push_back(seconds[0]);
  times.communication.push_back(seconds[1]);
  return seconds[0];
}

/// Elements of this block that are not, bit by bit, those of one process alone.
long wrong_elements(const Settings& settings, const Block& block, const Field& field,
                    const std::vector<double>& expected) {
  long wrong = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    for (std::size_t k = 0; k < block.columns; ++k) {
      const double found = field.at(i, k);
      const double& right = expected[(block.row + i + 1) * (settings.n + 2) + block.column + k + 1];
      if (std::memcmp(&found, &right, sizeof found) != 0) ++wrong;
    }
  }
  return wrong;
}

std::string summary(const char* name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  char text[200];
  std::snprintf(text, sizeof text, "\"%s\": {\"median\": %.6g, \"quartiles\": [%.6g, %.6g]}", name, quantile(0.5),
                quantile(0.25), quantile(0.75));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Settings settings = settings_of(argc, argv);
  const ProcessGrid grid = ProcessGrid::of(ranks, settings.dimensions);
  if (settings.n < static_cast<std::size_t>(std::max(grid.rows, grid.columns))) {
    give_up("an array of " + std::to_string(settings.n) + " rows and columns is too small for " +
            std::to_string(grid.rows) + " x " + std::to_string(grid.columns) + " processes");
  }
  const Block block = Block::of(settings.n, grid, rank);
  Field field(block);
  const HaloPlan plan = plan_of(settings, grid, field);
  const std::vector<double> expected = serial_result(settings.n, settings.steps);

  auto halo = halo_of(settings.way, plan);
  Times warm_up, times;
  double left = settings.warm_up_seconds;
  while (left > 0) left -= run(settings, plan, field, *halo, warm_up);
  long wrong = 0;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    run(settings, plan, field, *halo, times);
    wrong += wrong_elements(settings, block, field, expected);
  }
  halo.reset();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const std::string places = placement_as_json();
  if (rank == 0) {
    std::printf("{\"way\": \"%s\", \"n\": %zu, \"steps\": %d, \"processes\": [%d, %d], \"repeats\": %d, ",
                settings.way.c_str(), settings.n, settings.steps, grid.rows, grid.columns, settings.repeats);
    std::printf("%s, %s, \"wrong\": %ld, ", summary("total", times.total).c_str(),
                summary("communication", times.communication).c_str(), wrong);
    std::printf("\"samples\": {%s, %s}, \"places\": %s}\n", samples_as_json("total", times.total).c_str(),
                samples_as_json("communication", times.communication).c_str(), places.c_str());
  }
  leave_mpi();
  return wrong == 0 || settings.way == "put-printed" ? 0 : 1;
}
