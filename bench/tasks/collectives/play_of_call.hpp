#pragma once
/// \file
/// A call of the harness done by one of our schedules, over any carrier, in the call's own memory.

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ayatori/player/player.hpp"
#include "ayatori/player/region_use.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "collectives.hpp"

namespace ayatori::bench {

template <typename T>
T need(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
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

class PlayOfCall {
 public:
  PlayOfCall(Call& call, const std::string& algorithm, Rank root, Carrier& carrier)
      : call_(call), is_root_(call.rank() == static_cast<int>(root)) {
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
        *program_, carrier, [](std::byte* to, const std::byte* from, std::size_t bytes, auto...) {
          PMPI_Reduce_local(from, to, static_cast<int>(bytes / sizeof(std::uint32_t)), MPI_UINT32_T, MPI_SUM);
        });
  }

  /// Memory of the play that is not the call's.
  [[nodiscard]] std::span<std::byte> scratch() { return scratch_; }

  void run() {
    copy_own();
    const auto played = player_->play(regions_.memory);
    if (!played) stop(played.error().message);
  }

 private:
  [[nodiscard]] Rank self() const { return static_cast<Rank>(call_.rank()); }
  [[nodiscard]] std::byte* out() { return reinterpret_cast<std::byte*>(call_.out()); }
  [[nodiscard]] std::byte* in() { return reinterpret_cast<std::byte*>(call_.in()); }

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
  Regions regions_;
  std::vector<std::byte> scratch_;
  std::unique_ptr<RankProgram> program_;
  std::unique_ptr<Player> player_;
};

}  // namespace ayatori::bench
