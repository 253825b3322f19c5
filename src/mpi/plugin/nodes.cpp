#include "nodes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "own_progress.hpp"

namespace ayatori::plugin {

namespace {

bool all_agree(bool can, MPI_Comm node) {
  int here = can ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, node);
  return here == 1;
}

/// The node's first process makes the memory and the others join, of which some may fail.
Result<std::shared_ptr<NodeSegment>> shared_segment(MPI_Comm node, int self, int ranks) {
  NodeInvitation invitation{};
  Result<std::shared_ptr<NodeSegment>> segment = fail("no memory is shared");
  if (self == 0) {
    segment = NodeSegment::create(static_cast<Rank>(ranks));
    if (segment) invitation = (*segment)->invitation();
  }
  PMPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, node);
  return self == 0 ? segment : NodeSegment::join(invitation);
}

/// Makes the node's memory, if it is asked for, in all of the node's processes or in none. Returns why this process
/// can't have it, or nothing.
std::string make_memory(Process& process, MPI_Comm node) {
  int self = 0;
  int ranks = 1;
  PMPI_Comm_rank(node, &self);
  PMPI_Comm_size(node, &ranks);
  if (!all_agree(process.settings.node_memory && !threads_may_call(process) && ranks > 1, node)) return {};
  auto segment = shared_segment(node, self, ranks);
  if (!all_agree(segment.has_value(), node)) return segment ? "" : in_words(segment.error());
  auto memory = NodeMemory::make(std::move(*segment), static_cast<Rank>(self), {.while_waiting = let_mpi_progress});
  const bool all_have = all_agree(memory.has_value(), node);
  if (!memory) return in_words(memory.error());
  if (all_have) process.memory = std::move(*memory);
  return {};
}

/// Of several nodes that can't, the first is reported.
void report_memory(const Process& process, std::string reason) {
  if (!reason.empty()) reason = fmt::format("{}, where rank {} says: {}", own_host(), process.rank, reason);
  reason = first_reason(std::move(reason));
  if (!reason.empty()) report(fmt::format("messages within a node go through the MPI on {}", reason));
}

/// By rank: the first rank on its machine.
std::vector<int> first_ranks(const Process& process, MPI_Comm node, int ranks) {
  int first = process.rank;
  PMPI_Bcast(&first, 1, MPI_INT, 0, node);
  const auto pretended = static_cast<int>(process.settings.ranks_per_machine);
  if (pretended > 0) first = process.rank / pretended * pretended;
  std::vector<int> firsts(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return firsts;
}

void note_node_ranks(Process& process, MPI_Comm node) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(node, &group);
  int self = 0;
  int ranks = 1;
  PMPI_Group_rank(group, &self);
  PMPI_Group_size(group, &ranks);
  process.node_self = static_cast<Rank>(self);
  std::vector<int> here(static_cast<std::size_t>(ranks));
  std::iota(here.begin(), here.end(), 0);
  process.node_ranks.resize(here.size());
  PMPI_Group_translate_ranks(group, ranks, here.data(), process.world, process.node_ranks.data());
  PMPI_Group_free(&group);
}

constexpr std::size_t name_bytes = 256;
using HostName = std::array<char, name_bytes>;

}  // namespace

std::vector<std::string> hosts_of_machines(const Process& process) {
  HostName mine{};
  own_host().copy(mine.data(), mine.size() - 1);
  std::vector<HostName> names(process.rank == 0 ? process.placement.machine.size() : 0);
  PMPI_Gather(mine.data(), name_bytes, MPI_CHAR, names.data(), name_bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> hosts;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (process.placement.machine[rank] == hosts.size()) hosts.emplace_back(names[rank].data());
  }
  return hosts;
}

bool threads_may_call(const Process& process) { return process.level == MPI_THREAD_MULTIPLE; }

void find_nodes(Process& process) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const std::vector<int> firsts = first_ranks(process, node, ranks);
  note_node_ranks(process, node);
  report_memory(process, make_memory(process, node));
  PMPI_Comm_free(&node);
  std::vector<std::uint32_t> number(firsts.size(), no_id);
  std::uint32_t machines = 0;
  for (const int first : firsts) {
    std::uint32_t& known = number[static_cast<std::size_t>(first)];
    if (known == no_id) known = machines++;
    process.placement.machine.push_back(known);
  }
  process.placement.group.assign(machines, 0);
  process.placement.gateway.assign(machines, true);
}

}  // namespace ayatori::plugin
