#pragma once
/// \file
/// Messages between machines over the networks that the job's network says they are on, by TCP connections of our own:
/// asked for by AYATORI_SOCKETS.

#include <string>
#include <vector>

#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// By machine of the job, for join_networks(): its interfaces, and for each other machine by which of them and to which
/// of its interfaces messages go: by the fastest, or several as fast as each other (RailUse::striped).
[[nodiscard]] std::vector<std::string> paths_of_machines(const Network& network, const Job& job);

/// Called by all processes; `paths` is process 0's. Makes process.sockets, or none in any process where one of them
/// lacks an interface that the network names.
void join_networks(Process& process, const std::vector<std::string>& paths);

}  // namespace ayatori::plugin
