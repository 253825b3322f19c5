#pragma once
/// \file
/// Where the ranks of an MPI program run, for its JSON: who reads a time must know which of them shared a core.

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace ayatori::bench {

struct RankPlacement {
  char host[64] = {};
  char machine[64] = {};  ///< the same on all hosts that one kernel runs, namespaces for example
  cpu_set_t cores{};      ///< on which the rank may run
};

inline RankPlacement own_place() {
  RankPlacement place;
  gethostname(place.host, sizeof place.host - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::strncpy(place.machine, boot.c_str(), sizeof place.machine - 1);
  sched_getaffinity(0, sizeof place.cores, &place.cores);
  return place;
}

/// On rank 0 a list of objects, one a rank, with its host, its machine and its cores; nothing on others. All ranks of
/// MPI_COMM_WORLD call it.
inline std::string placement_as_json() {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const RankPlacement own = own_place();
  std::vector<RankPlacement> places(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
  std::string text;
  for (const RankPlacement& place : places) {
    text += std::string(text.empty() ? "[" : ", ") + "{\"host\": \"" + place.host + "\", \"machine\": \"" +
            place.machine + "\", \"cores\": [";
    const char* before = "";
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &place.cores)) continue;
      text += before + std::to_string(core);
      before = ", ";
    }
    text += "]}";
  }
  return rank == 0 ? text + "]" : text;
}

/// `"name": [1.5, …]`
inline std::string samples_as_json(const char* name, const std::vector<double>& values) {
  std::string text = std::string("\"") + name + "\": [";
  const char* before = "";
  for (const double value : values) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.6g", before, value);
    text += number;
    before = ", ";
  }
  return text + "]";
}

}  // namespace ayatori::bench
