/// What nwtopo takes, compared with the paper's figure 7, and how fast it answers. Answers are checked before they are
/// timed. Memory is printed twice: by nwtopo_topology_get_memory() and by the kernel (private pages of the process,
/// smaps_rollup).
///
///     nwtopo_bench [HOSTS]      size of the irregular fabric's fat tree, by default about 100,000 hosts

#include <fmt/core.h>
#include <nwtopo.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "nwtopo_bench: {}\n", what);
  std::exit(1);
}

void check(bool good, const char* what) {
  if (!good) fail(fmt::format("{} (nwtopo says: {})", what, nwtopo_error_message()));
}

/// Bytes that only this process has, by the kernel's count.
double kernel_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  double sum = 0;
  for (std::string line; std::getline(file, line);) {
    double kib = 0;
    if (std::sscanf(line.c_str(), "Private_Dirty: %lf kB", &kib) == 1) sum += kib * 1024;
    if (std::sscanf(line.c_str(), "Private_Clean: %lf kB", &kib) == 1) sum += kib * 1024;
  }
  return sum;
}

double own_bytes(nwtopo_topology_t topology) {
  nwtopo_memory memory{};
  check(nwtopo_topology_get_memory(topology, &memory) == 0, "memory");
  return static_cast<double>(memory.private_);
}

/// A loaded topology that ends with its scope.
class Loaded {
 public:
  Loaded(const std::string& source, unsigned long flags) {
    check(nwtopo_topology_init(&topology_) == 0, "init");
    check(nwtopo_topology_set_flags(topology_, flags | NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM) == 0, "flags");
    check(nwtopo_topology_set_source(topology_, source.c_str()) == 0, "source");
    const auto start = Clock::now();
    check(nwtopo_topology_load(topology_) == 0, "load");
    milliseconds_ = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  ~Loaded() { nwtopo_topology_destroy(topology_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  operator nwtopo_topology_t() const { return topology_; }
  [[nodiscard]] double milliseconds() const { return milliseconds_; }

 private:
  nwtopo_topology_t topology_ = nullptr;
  double milliseconds_ = 0;
};

nwtopo_obj_t machine(nwtopo_topology_t topology, unsigned long id) {
  nwtopo_obj_t found = nwtopo_topology_get_object_by_id(topology, id);
  check(found != nullptr && found->id == id && found->type == NWTOPO_OBJ_MACHINE, "machine by id");
  return found;
}

/// What a process does for the pattern of a broadcast (paper 2, figure 5): the root, itself, and its neighbours.
void use_like_a_broadcast(nwtopo_topology_t topology, unsigned long machines) {
  nwtopo_obj_t root = machine(topology, 0);
  nwtopo_obj_t me = machine(topology, machines / 2);
  nwtopo_obj_t grid = me->parents[0];
  int minus[] = {-1, -1, -1};
  nwtopo_obj_t other = nullptr;
  check(nwtopo_grid_get_shifted_obj(topology, grid, root, minus, &other) == 0 && other->id == machines - 1, "shifted");
  for (unsigned axis = 0; axis < 3; ++axis) {
    check(nwtopo_grid_get_neighbor_obj(topology, grid, me, axis, 1, &other) == 0, "neighbour");
  }
}

void check_every_object(nwtopo_topology_t topology, unsigned long machines) {
  nwtopo_obj_t grid = nwtopo_topology_get_root(topology);
  check(grid != nullptr && grid->num_children == machines, "root");
  nwtopo_obj_t* children = nwtopo_obj_get_children(topology, grid);
  check(children != nullptr, "children");
  for (unsigned long id = 0; id < machines; ++id) {
    check(children[id]->id == id && children[id]->parents[0] == grid, "child");
  }
}

std::string human(double bytes) {
  if (bytes < 10240) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", bytes / 1024);
  return fmt::format("{:.2f} MiB", bytes / 1024 / 1024);
}

struct Shape {
  unsigned long machines;
  const char* source;
};

constexpr Shape shapes[] = {{12, "torus:2x3x2"},
                            {384, "torus:4x6x16"},
                            {4800, "torus:20x15x16"},
                            {82944, "torus:48x54x32"},
                            {1000000, "torus:100x100x100"}};

/// Figure 7. The paper gives 10.1 MiB at 82,944 machines and a straight line.
void print_figure_7() {
  fmt::print("Memory of a torus (paper 2, figure 7); ours: nwtopo's own count, in brackets the kernel's\n");
  fmt::print("{:>9}  {:>11}  {:>10}  {:>22}  {:>22}  {:>22}\n", "machines", "paper", "load", "loaded",
             "broadcast's pattern", "every object");
  const double paper_per_machine = 10.1 * 1024 * 1024 / 82944;
  for (const Shape& shape : shapes) {
    const double before = kernel_bytes();
    const Loaded topology(shape.source, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
    const auto memory_text = [&] {
      return fmt::format("{} ({})", human(own_bytes(topology)), human(std::max(0.0, kernel_bytes() - before)));
    };
    const std::string loaded = memory_text();
    use_like_a_broadcast(topology, shape.machines);
    const std::string pattern = memory_text();
    check_every_object(topology, shape.machines);
    fmt::print("{:>9}  {:>11}  {:>7.3f} ms  {:>22}  {:>22}  {:>22}\n", shape.machines,
               human(paper_per_machine * static_cast<double>(shape.machines)), topology.milliseconds(), loaded, pattern,
               memory_text());
  }
}

/// Machines picked all over the torus: what does one take?
void print_touched(const char* heading, unsigned long flags) {
  const Loaded topology("torus:48x54x32", flags);
  const double untouched = own_bytes(topology);
  fmt::print("\nK computer, 82,944 machines: bytes a touched machine, machines picked all over it, {}\n", heading);
  unsigned long id = 0;
  unsigned long touched = 0;
  for (const unsigned long count : {100UL, 1000UL, 10000UL, 50000UL, 82944UL}) {
    for (; touched < count; ++touched, id = (id + 30011) % 82944) machine(topology, id);
    fmt::print("  {:>6} touched: {:>10}, {:.1f} B each\n", count, human(own_bytes(topology) - untouched),
               (own_bytes(topology) - untouched) / static_cast<double>(count));
  }
}

void print_flags() {
  const Loaded none("torus:48x54x32", NWTOPO_TOPOLOGY_FLAG_NO_MACHINES);
  nwtopo_memory memory{};
  check(nwtopo_topology_get_memory(none, &memory) == 0, "memory");
  nwtopo_obj_t grid = nwtopo_topology_get_root(none);
  check(grid != nullptr && grid->attr->grid.dimensions[1] == 54, "shape without machines");
  fmt::print("\nNO_MACHINES: {} beyond the handle's fixed {} (bar: 100 B)\n",
             human(static_cast<double>(memory.private_)), human(static_cast<double>(memory.fixed)));

  const Loaded base("torus:48x54x32", NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  std::vector<nwtopo_obj_t> machines;
  for (unsigned long id = 0; id < 82944; ++id) machines.push_back(machine(base, id));
  nwtopo_topology_t again = nullptr;
  check(nwtopo_topology_init(&again) == 0, "init");
  check(nwtopo_topology_set_flags(again, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS) == 0, "flags");
  check(nwtopo_topology_shrink(again, base, 82944, machines.data()) == 0, "shrink");
  check(nwtopo_topology_get_object_by_id(again, 4711) == machines[4711], "reused object");
  fmt::print("shrink to the same size, objects reused: {} (paper: about 1 MiB; bar: 0.1 MiB)\n",
             human(own_bytes(again)));
  nwtopo_topology_destroy(again);
}

/// Best of several runs of `rounds` calls, in millions a second.
template <typename Call>
double rate(unsigned long rounds, Call call) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = Clock::now();
    for (unsigned long i = 0; i < rounds; ++i) call(i);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, static_cast<double>(rounds) / seconds / 1e6);
  }
  return best;
}

/// `count` machines, `apart` ids from one to the next.
std::vector<nwtopo_obj_t> machines_apart(nwtopo_topology_t topology, unsigned long count, unsigned long apart) {
  const unsigned long count_of_all = nwtopo_topology_get_num_objects(topology, 0);
  std::vector<nwtopo_obj_t> machines;
  for (unsigned long i = 0, id = 0; i < count; ++i, id = (id + apart) % count_of_all)
    machines.push_back(machine(topology, id));
  return machines;
}

void check_coordinates(nwtopo_topology_t topology, nwtopo_obj_t grid, const std::vector<nwtopo_obj_t>& machines) {
  int coords[3];
  nwtopo_obj_t found = nullptr;
  for (nwtopo_obj_t one : machines) {
    check(nwtopo_grid_get_coords(topology, grid, one, coords) == 0, "coords");
    check(nwtopo_grid_get_obj(topology, grid, coords, &found) == 0 && found == one, "object at coords");
  }
}

void print_rates_of(const char* source, bool in_order, unsigned long apart) {
  constexpr unsigned long count = 1UL << 16;
  const Loaded topology(source, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  if (in_order) check_every_object(topology, nwtopo_topology_get_num_objects(topology, 0));
  const auto machines = machines_apart(topology, count, apart);
  nwtopo_obj_t grid = nwtopo_topology_get_root(topology);
  check_coordinates(topology, grid, machines);
  std::vector<int> places(3 * count);
  for (unsigned long i = 0; i < count; ++i) nwtopo_grid_get_coords(topology, grid, machines[i], &places[3 * i]);
  int shifts[] = {-1, 2, -3};
  for (nwtopo_obj_t one : machines) {  // so that what is asked for exists
    nwtopo_obj_t found = nullptr;
    check(nwtopo_grid_get_shifted_obj(topology, grid, one, shifts, &found) == 0, "shifted");
    for (unsigned axis = 0; axis < 3; ++axis) nwtopo_grid_get_neighbor_obj(topology, grid, one, axis, 1, &found);
  }

  constexpr unsigned long rounds = 32 * count;
  int coords[3];
  nwtopo_obj_t found = nullptr;
  const auto some = [&](unsigned long i) { return machines[i % count]; };
  const double rates[] = {
      rate(rounds, [&](unsigned long i) { nwtopo_grid_get_coords(topology, grid, some(i), coords); }),
      rate(rounds, [&](unsigned long i) { nwtopo_grid_get_obj(topology, grid, &places[3 * (i % count)], &found); }),
      rate(rounds,
           [&](unsigned long i) {
             nwtopo_grid_get_neighbor_obj(topology, grid, some(i), static_cast<unsigned>(i % 3), 1, &found);
           }),
      rate(rounds, [&](unsigned long i) { nwtopo_grid_get_shifted_obj(topology, grid, some(i), shifts, &found); })};
  fmt::print("{:>19}  {:>12}  {:>6}", source, in_order ? "in order" : "as used", apart);
  for (const double one : rates) fmt::print("  {:>8.0f} M/s", one);
  fmt::print("\n");
}

void print_rates() {
  fmt::print(
      "\nCalls on one core (bar: 20 M/s) on machines so many ids apart; objects made in order, or as they were used\n");
  fmt::print("{:>19}  {:>12}  {:>6}  {:>12}  {:>12}  {:>12}  {:>12}\n", "torus", "objects made", "apart", "get_coords",
             "get_obj", "get_neighbor", "get_shifted");
  for (const char* source : {"torus:48x54x32", "torus:100x100x100"}) {
    for (const unsigned long apart : {1UL, 7919UL}) {
      for (const bool in_order : {true, false}) print_rates_of(source, in_order, apart);
    }
  }
}

/// A three-level tree, which is kept as an explicit network: built once, then mapped.
void print_cache(unsigned long hosts) {
  unsigned long k = 2;
  while (2 * k * k * k < hosts) ++k;
  const std::string source = fmt::format("fattree:K={},levels=3,nodes={}", k, hosts);
  const auto path = std::filesystem::temp_directory_path() / fmt::format("nwtopo_bench.{}.cache", getpid());
  {
    const Loaded topology(source, 0);
    check(nwtopo_topology_export_file(topology, "cache", path.c_str()) == 0, "export");
    fmt::print("\n{}: loaded as an explicit network in {:.0f} ms\n", source, topology.milliseconds());
  }
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  double best = 1e9;
  double before = 0;
  double kernel = 0;
  double own = 0;
  for (int run = 0; run < 5; ++run) {
    before = kernel_bytes();
    const Loaded cached("cache:" + path.string(), 0);
    best = std::min(best, cached.milliseconds());
    own = own_bytes(cached);
    kernel = std::max(0.0, kernel_bytes() - before);
    check(nwtopo_topology_get_num_objects(cached, 0) == hosts, "hosts of the cache");
    check(nwtopo_get_hops(cached, machine(cached, 0), machine(cached, hosts - 1)) == 6, "hops in the cache");
  }
  fmt::print(
      "cache: {}, {:.1f} B a host (bar: 128), mapped and checked in {:.2f} ms (bar: 1), private {} ({} by the "
      "kernel)\n",
      human(size), size / static_cast<double>(hosts), best, human(own), human(kernel));
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  print_figure_7();
  print_touched("with names, as by default (bar: 96)", 0);
  print_touched("without names (bar: 64)", NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
  print_flags();
  print_rates();
  print_cache(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000);
}
