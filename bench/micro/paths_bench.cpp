/// What libayatori_paths.so adds to a connection: a queue pair that becomes ready to receive, and an address handle,
/// with the recording libibverbs of tests/paths below, directly and through the library. Every address is checked
/// before anything is timed. Nothing of the library is on the path of data.

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "ayatori/artefacts/plan_file.hpp"
#include "recording_verbs.h"

namespace {

using namespace ayatori;

using ModifyQueuePair = int(ibv_qp*, ibv_qp_attr*, int);
using CreateHandle = ibv_ah*(ibv_pd*, ibv_ah_attr*);

constexpr int lmc = 5;

Lid lid_of(Rank port) { return static_cast<Lid>((port + 1) << lmc); }

constexpr Rank ports = 1000;

std::uint8_t planned_bits(std::size_t from, std::size_t to) {
  return static_cast<std::uint8_t>((from * 5 + to * 7) % (1U << lmc));
}

/// One rank on each port, and a path for each pair.
void write_plan(const std::string& path) {
  PlanFile file;
  file.lmc = lmc;
  for (Rank port = 0; port < ports; ++port) {
    file.machines.push_back({"n" + std::to_string(port), 1});
    file.ranks.push_back({0x1000 + port, lid_of(port)});
  }
  std::vector<std::uint8_t> bits;
  for (Rank from = 0; from < ports; ++from) {
    for (Rank to = 0; to < ports; ++to) bits.push_back(planned_bits(from, to));
  }
  file.plan = Plan::per_pair(ports, std::move(bits));
  if (!write_plan_file(file, path)) std::abort();
}

template <typename Function>
Function* function(void* library, const char* name) {
  void* const found = dlvsym(library, name, "IBVERBS_1.1");
  Function* result = nullptr;
  if (found == nullptr) std::abort();
  std::memcpy(&result, &found, sizeof result);
  return result;
}

/// The library, once it has read the plan. It is loaded as dlopen loads, and finds the libibverbs of this program.
struct Library {
  ModifyQueuePair* modify = nullptr;
  CreateHandle* create = nullptr;

  Library() {
    const std::string path = std::filesystem::temp_directory_path() / "ayatori-paths-bench.json";
    write_plan(path);
    setenv("AYATORI_PLAN", path.c_str(), 1);
    setenv("RECORDING_GUID", std::to_string(0x1000).c_str(), 1);
    setenv("RECORDING_LID", std::to_string(lid_of(0)).c_str(), 1);
    setenv("RECORDING_LMC", std::to_string(lmc).c_str(), 1);
    void* const library = dlopen(AYATORI_PATHS_LIBRARY, RTLD_NOW);
    if (library == nullptr) std::abort();
    modify = function<ModifyQueuePair>(library, "ibv_modify_qp");
    create = function<CreateHandle>(library, "ibv_create_ah");
    check();
  }

  void check() const;
};

struct Program {
  ibv_context* context = ibv_open_device(*ibv_get_device_list(nullptr));
  ibv_pd* pd = ibv_alloc_pd(context);
  ibv_qp* queue_pair = nullptr;
  ibv_qp_attr attributes = {};

  Program() {
    ibv_qp_init_attr init = {};
    init.qp_type = IBV_QPT_RC;
    queue_pair = ibv_create_qp(pd, &init);
    attributes.qp_state = IBV_QPS_RTR;
    attributes.ah_attr.port_num = 1;
  }

  void aim_at(Rank port) { attributes.ah_attr.dlid = lid_of(port); }
};

/// Every peer gets its planned addresses.
void Library::check() const {
  Program program;
  const auto is_planned = [](Rank port) {
    const ibv_ah_attr& address = *recording_last_address();
    return address.dlid == lid_of(port) + planned_bits(0, port) && address.src_path_bits == planned_bits(port, 0);
  };
  for (Rank port = 1; port < ports; ++port) {
    program.aim_at(port);
    modify(program.queue_pair, &program.attributes, IBV_QP_STATE | IBV_QP_AV);
    if (!is_planned(port)) std::abort();
    ibv_destroy_ah(create(program.pd, &program.attributes.ah_attr));
    if (!is_planned(port)) std::abort();
  }
}

void connects(benchmark::State& state, ModifyQueuePair* modify) {
  Program program;
  Rank port = 0;
  for (auto _ : state) {
    port = port % (ports - 1) + 1;
    program.aim_at(port);
    benchmark::DoNotOptimize(modify(program.queue_pair, &program.attributes, IBV_QP_STATE | IBV_QP_AV));
  }
}

void makes_handles(benchmark::State& state, CreateHandle* create) {
  Program program;
  Rank port = 0;
  for (auto _ : state) {
    port = port % (ports - 1) + 1;
    program.aim_at(port);
    ibv_ah* const handle = create(program.pd, &program.attributes.ah_attr);
    benchmark::DoNotOptimize(handle);
    ibv_destroy_ah(handle);
  }
}

const Library& library() {
  static const Library loaded;
  return loaded;
}

void queue_pair_directly(benchmark::State& state) { connects(state, ibv_modify_qp); }
void queue_pair_by_plan(benchmark::State& state) { connects(state, library().modify); }
void handle_directly(benchmark::State& state) { makes_handles(state, ibv_create_ah); }
void handle_by_plan(benchmark::State& state) { makes_handles(state, library().create); }

BENCHMARK(queue_pair_directly);
BENCHMARK(queue_pair_by_plan);
BENCHMARK(handle_directly);
BENCHMARK(handle_by_plan);

}  // namespace
