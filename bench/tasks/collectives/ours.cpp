// Our schedules, played through the memory that the ranks of the node share. The peer's own argument is the algorithm
// of all collectives of the run, as the list of algorithms names it; MPI is used to set the memory up and to measure.
#include <algorithm>
#include <memory>

#include "ayatori/carriers/memory_carrier.hpp"
#include "ayatori/player/player.hpp"
#include "ayatori/player/region_use.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "collectives.hpp"

namespace {

using namespace ayatori;
using bench::Call;

template <typename T>
T need(Result<T> result) {
  if (!result) bench::stop(result.error().message);
  return std::move(*result);
}

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

/// Where a program plays: the caller's memory, as MPI's functions have it, and ours.
struct Regions {
  std::vector<Slot> starts;
  std::vector<std::byte*> memory;  ///< one less: the last region is scratch
};

/// Slots first, …, with only slot `own` in other memory than the rest.
Regions all_but_own(Rank own, Rank n, std::size_t bytes, std::byte* own_memory, std::byte* rest) {
  Regions regions;
  const auto add = [&](Slot start, std::byte* memory) {
    regions.starts.push_back(start);
    regions.memory.push_back(memory);
  };
  if (own > 0) add(0, rest);
  add(own, own_memory);
  if (own + 1 < n) add(own + 1, rest == nullptr ? nullptr : rest + (own + 1) * bytes);
  regions.starts.push_back(n);
  return regions;
}

class Play {
 public:
  Play(Call& call, const std::string& algorithm, Rank root, NodeMemory& memory, std::uint64_t context)
      : call_(call),
        is_root_(call.rank() == static_cast<int>(root)),
        carrier_(memory, participants(call.ranks()), context) {
    const Collective collective = parse_collective(call.collective()).value();
    const auto n = static_cast<Rank>(call.ranks());
    const CollectiveCall made{collective, n, root, call.bytes() / sizeof(std::uint32_t)};
    const SchedulePtr schedule = need(make_schedule(algorithm, made, places_of_ranks(n, n)));
    regions_ = regions(schedule->block_count());
    ProgramOptions options;
    options.element_bytes = sizeof(std::uint32_t);
    options.region_starts = regions_.starts;
    while (options.region_starts.back() >= schedule->slot_count() && options.region_starts.size() > 1) {
      options.region_starts.pop_back();
    }
    program_ = std::make_unique<RankProgram>(need(RankProgram::compile(*schedule, self(), options)));
    // The vector that is sent must stay as it is.
    sends_own_memory_ = call.is("reduce") && !is_root_ && !region_uses(*program_)[0].written;
    if (sends_own_memory_) regions_.memory[0] = out();
    regions_.memory.resize(options.region_starts.size());
    if (regions_.starts.size() == options.region_starts.size()) {
      scratch_.resize(program_->region_bytes().back());
      regions_.memory.back() = scratch_.data();
    }
    player_ = std::make_unique<Player>(
        *program_, carrier_, [](std::byte* to, const std::byte* from, std::size_t bytes, auto...) {
          PMPI_Reduce_local(from, to, static_cast<int>(bytes / sizeof(std::uint32_t)), MPI_UINT32_T, MPI_SUM);
        });
  }

  void run() {
    copy_own();
    const auto played = player_->play(regions_.memory);
    if (!played) bench::stop(played.error().message);
  }

 private:
  [[nodiscard]] Rank self() const { return static_cast<Rank>(call_.rank()); }
  [[nodiscard]] std::byte* out() { return reinterpret_cast<std::byte*>(call_.out()); }
  [[nodiscard]] std::byte* in() { return reinterpret_cast<std::byte*>(call_.in()); }

  static std::vector<NodeParticipant> participants(int ranks) {
    std::vector<NodeParticipant> all;
    for (Rank rank = 0; rank < static_cast<Rank>(ranks); ++rank) all.push_back({rank, rank});
    return all;
  }

  Regions regions(std::uint32_t blocks) {
    const auto n = static_cast<Rank>(call_.ranks());
    if (call_.is("alltoall")) return {{0, n, 2 * n}, {out(), in(), nullptr}};
    if (call_.is("allgather")) return {{0, n}, {in(), nullptr}};
    if (call_.is("reduce_scatter")) return all_but_own(self(), n, call_.bytes(), in(), out());
    if (call_.is("gather")) {
      if (is_root_) return {{0, n}, {in(), nullptr}};
      return all_but_own(self(), n, call_.bytes(), out(), nullptr);
    }
    if (call_.is("scatter")) {
      if (is_root_) return {{0, n}, {out(), nullptr}};
      return all_but_own(self(), n, call_.bytes(), in(), nullptr);
    }
    return {{0, blocks}, {in(), nullptr}};
  }

  /// What the collective does not move.
  void copy_own() {
    const std::size_t bytes = call_.bytes();
    const std::size_t own = static_cast<std::size_t>(call_.rank()) * bytes;
    if (call_.is("allreduce") || (call_.is("reduce") && !sends_own_memory_)) std::memcpy(in(), out(), bytes);
    if (call_.is("allgather") || (call_.is("gather") && is_root_)) std::memcpy(in() + own, out(), bytes);
    if (call_.is("scatter") && is_root_) std::memcpy(in(), out() + own, bytes);
    if (call_.is("reduce_scatter")) std::memcpy(in(), out() + own, bytes);
  }

  Call& call_;
  bool is_root_;
  bool sends_own_memory_ = false;
  MemoryCarrier carrier_;
  Regions regions_;
  std::vector<std::byte> scratch_;
  std::unique_ptr<RankProgram> program_;
  std::unique_ptr<Player> player_;
};

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
      (*plays)[call.has_root() ? static_cast<std::size_t>(root) : 0]->run();
    };
  });
}
