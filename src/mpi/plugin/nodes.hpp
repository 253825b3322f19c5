#pragma once
/// \file
/// Where the processes of MPI_COMM_WORLD are: on which nodes, and where these are in the network. Called in MPI_Init by
/// all of them.

#include "process.hpp"

namespace ayatori::plugin {

/// Asks the MPI which processes share a node, and makes the memory through which those of ours talk. Where it can't be
/// made on one of them, none of the node has it, and a line says why.
void find_nodes(Process& process);

/// After find_nodes(), by machine: the name of its host; on process 0, and nothing on all others.
[[nodiscard]] std::vector<std::string> hosts_of_machines(const Process& process);

/// Whether several threads may execute at the same time: neither the memory nor connections are made for that.
[[nodiscard]] bool threads_may_call(const Process& process);

/// Adds what a source of topologies (NWTOPO_SOURCE, or what the host's environment names) says of the nodes: groups and
/// grid. Process 0 opens it and broadcasts the result. A source that fits badly costs nothing but its use.
void add_topology(Process& process);

}  // namespace ayatori::plugin
