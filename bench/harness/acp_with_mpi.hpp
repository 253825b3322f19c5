#pragma once
/// \file
/// libacp in a program that an MPI's launcher has started.

#include <acp.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ayatori::bench {

/// Starts libacp, whose environment gets what MPI knows, with `bytes` of starter memory in each process. All
/// ranks of MPI_COMM_WORLD call it. If they are on several hosts, ACP_FIRST_HOST and ACP_PROCS_PER_HOST must say on
/// which.
inline void start_acp(std::size_t bytes) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto key = static_cast<std::uint64_t>(getpid());  // of the jobs that run, no other has it
  MPI_Bcast(&key, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  setenv("ACP_RANK", std::to_string(rank).c_str(), 1);
  setenv("ACP_PROCS", std::to_string(ranks).c_str(), 1);
  setenv("ACP_JOB_KEY", std::to_string(key).c_str(), 1);
  setenv("ACP_STARTER_BYTES", std::to_string(bytes).c_str(), 1);
  if (acp_init(nullptr, nullptr) != 0) acp_abort("libacp does not start");
}

}  // namespace ayatori::bench
