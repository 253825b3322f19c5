// Our schedules, played through the memory that the ranks of the node share. The peer's own argument is the algorithm
// of all collectives of the run, as the list of algorithms names it; MPI is used to set the memory up and to measure.
#include <memory>

#include "ayatori/carriers/memory_carrier.hpp"
#include "play_of_call.hpp"

namespace {

using namespace ayatori;
using bench::Call;
using bench::need;
using bench::PlayOfCall;

std::vector<NodeParticipant> participants(int ranks) {
  std::vector<NodeParticipant> all;
  for (Rank rank = 0; rank < static_cast<Rank>(ranks); ++rank) all.push_back({rank, rank});
  return all;
}

/// A schedule and the carrier that is for it alone.
struct Play {
  Play(Call& call, const std::string& algorithm, Rank root, NodeMemory& memory, std::uint64_t context)
      : carrier(memory, participants(call.ranks()), context), play(call, algorithm, root, carrier) {}

  MemoryCarrier carrier;
  PlayOfCall play;
};

std::unique_ptr<NodeMemory> share_memory(int rank, int ranks) {
  NodeInvitation invitation{};
  std::shared_ptr<NodeSegment> segment;
  if (rank == 0) {
    segment = need(NodeSegment::create(static_cast<Rank>(ranks)));
    invitation = segment->invitation();
  }
  PMPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank != 0) segment = need(NodeSegment::join(invitation));
  PMPI_Barrier(MPI_COMM_WORLD);
  return need(NodeMemory::make(segment, static_cast<Rank>(rank)));
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<NodeMemory> memory;
  std::uint64_t contexts = 0;
  if (argc < 5) return 2;
  const std::string algorithm = argv[4];
  return bench::run_program(argc, argv, [&](Call& call) {
    if (memory == nullptr) memory = share_memory(call.rank(), call.ranks());
    std::vector<std::unique_ptr<Play>> plays;
    for (Rank root = 0; root < (call.has_root() ? static_cast<Rank>(call.ranks()) : 1U); ++root) {
      plays.push_back(std::make_unique<Play>(call, algorithm, root, *memory, contexts++));
    }
    return [plays = std::make_shared<decltype(plays)>(std::move(plays)), &call](int root) {
      (*plays)[call.has_root() ? static_cast<std::size_t>(root) : 0]->play.run();
    };
  });
}
