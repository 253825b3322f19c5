#include "nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "own_progress.hpp"

namespace ayatori::plugin {

namespace {

std::shared_ptr<NodeSegment> shared_segment(MPI_Comm node, int self, int ranks) {
  NodeInvitation invitation{};
  std::shared_ptr<NodeSegment> segment;
  if (self == 0) {
    if (auto made = NodeSegment::create(static_cast<Rank>(ranks))) {
      segment = *made;
      invitation = segment->invitation();
    }
  }
  PMPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, node);
  if (self != 0) {
    if (auto joined = NodeSegment::join(invitation)) segment = *joined;
  }
  int here = segment != nullptr ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, node);
  return here == 1 ? segment : nullptr;
}

void make_memory(Process& process, MPI_Comm node) {
  int self = 0;
  int ranks = 1;
  PMPI_Comm_rank(node, &self);
  PMPI_Comm_size(node, &ranks);
  int wanted = process.settings.node_memory && !threads_may_call(process) && ranks > 1 ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_INT, MPI_MIN, node);
  if (wanted == 0) return;
  auto segment = shared_segment(node, self, ranks);
  if (segment != nullptr) {
    auto memory = NodeMemory::make(std::move(segment), static_cast<Rank>(self), {.while_waiting = let_mpi_progress});
    if (memory) process.memory = std::move(*memory);
  }
  int here = process.memory != nullptr ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, node);
  if (here == 1) return;
  process.memory.reset();
  tell("processes of a node can't share memory: messages within nodes go through the MPI");
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

}  // namespace

bool threads_may_call(const Process& process) { return process.level == MPI_THREAD_MULTIPLE; }

void find_nodes(Process& process) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const std::vector<int> firsts = first_ranks(process, node, ranks);
  note_node_ranks(process, node);
  make_memory(process, node);
  PMPI_Comm_free(&node);
  std::vector<std::uint32_t> number(firsts.size(), no_id);
  std::uint32_t machines = 0;
  for (const int first : firsts) {
    std::uint32_t& known = number[static_cast<std::size_t>(first)];
    if (known == no_id) known = machines++;
    process.places.machine.push_back(known);
  }
  process.places.group.assign(machines, 0);
  process.places.gateway.assign(machines, true);
}

}  // namespace ayatori::plugin
