#pragma once
/// \file
/// libacp in a program that an MPI's launcher has started.

#include <acp.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "job_file.hpp"

namespace ayatori::bench {

/// Starts libacp, whose environment gets what MPI knows, with `bytes` of starter memory in each process. All
/// ranks of MPI_COMM_WORLD call it. If they are on several hosts, ACP_LOCAL_PROCS must say how many are on each, and
/// all hosts must have the same /tmp.
inline void start_acp(std::size_t bytes) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static std::optional<JobFile> made;  // removed when rank 0 ends
  if (rank == 0) made.emplace();
  std::array<char, 64> name{};
  if (rank == 0) made->name().copy(name.data(), name.size() - 1);
  MPI_Bcast(name.data(), name.size(), MPI_CHAR, 0, MPI_COMM_WORLD);
  setenv("ACP_RANK", std::to_string(rank).c_str(), 1);
  setenv("ACP_PROCS", std::to_string(ranks).c_str(), 1);
  setenv("ACP_JOB_FILE", name.data(), 1);
  setenv("ACP_STARTER_BYTES", std::to_string(bytes).c_str(), 1);
  if (acp_init(nullptr, nullptr) != 0) acp_abort("libacp does not start");
}

}  // namespace ayatori::bench
