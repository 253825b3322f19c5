#pragma once
/// \file
/// A collective call that is ready to be executed on one communicator, as often as the program makes it.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ayatori/executor/executor.hpp"
#include "ayatori/executor/region_use.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/tuning/settings.hpp"
#include "messages.hpp"

namespace ayatori::plugin {

/// All on which the messages of a call depend. The same on all ranks.
struct CallShape {
  Collective collective = Collective::barrier;
  ForcedChoice choice = {};
  Rank root = 0;
  Bytes elements = 0;          ///< as CollectiveCall::bytes counts
  Bytes element_bytes = 1;     ///< no element is cut into two
  bool by_slot = false;        ///< every slot is a region of its own, and each execution has its own sizes
  bool in_rank_order = false;  ///< of a reduction whose operation does not commute

  friend bool operator==(const CallShape&, const CallShape&) = default;
};

/// Memory for the part of a region that a program uses, or for data in between; not initialised.
class Memory {
 public:
  Memory() = default;
  explicit Memory(Bytes bytes) : bytes_(new std::byte[bytes]) {}
  explicit Memory(const RegionUse& use) : bytes_(new std::byte[use.end - use.first]), first_(use.first) {}
  /// Where the region would begin: only its used part may be touched.
  [[nodiscard]] std::byte* begin() const { return bytes_.get() - first_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  Bytes first_ = 0;
};

class CompiledCall {
 public:
  /// The carrier of messages. Those of nonblocking executions go by the MPI, or by the connections to other
  /// machines where the job has them: the memory of a node is for one execution at a time, and somebody must poll
  /// it.
  enum class Carried : std::uint8_t { by_all, without_memory };

  /// Errors: those of make_schedule(), a schedule in which routers take part, and where operands must be combined in
  /// the order of the ranks, one that does not, or that is too large to find out.
  [[nodiscard]] static Result<std::unique_ptr<CompiledCall>> make(const CallShape& shape, Rank rank,
                                                                  const Placement& placement, Messages& messages,
                                                                  Carried carried);
  CompiledCall(const CompiledCall&) = delete;
  CompiledCall& operator=(const CompiledCall&) = delete;

  [[nodiscard]] const CallShape& shape() const { return shape_; }

  /// Regions by collective, unless each slot is one: the first is the vector of a broadcast, reduce or allreduce, the n
  /// blocks of the others; of an alltoall the first is sent and the second received. The last is scratch. Where a
  /// reduce-scatter writes no block but its own (own_block_is_apart()), the blocks before it, it, and those after it
  /// are three regions, or two of the first and the last rank.
  [[nodiscard]] const RegionUse& use(std::size_t region) const { return uses_[region]; }
  /// What this object takes, about.
  [[nodiscard]] Bytes memory_bytes() const;
  [[nodiscard]] std::size_t region_count() const { return uses_.size(); }
  [[nodiscard]] bool own_block_is_apart() const { return own_block_is_apart_; }
  /// Those of a reduce-scatter's blocks for execute(), which `buffer` begins and of which `own` is this rank's. Blocks
  /// that are not written stay as they are.
  struct Blocks {
    std::array<std::byte*, 3> begin;
    std::size_t count;
    [[nodiscard]] std::span<std::byte* const> regions() const { return std::span(begin).first(count); }
  };
  [[nodiscard]] Blocks blocks(const void* buffer, std::byte* own) const;

  /// Executions with these regions, and scratch memory after them. By slot: with a region and a size for each of the
  /// collective's slots (no scratch is needed), or for all slots. `combine` does reductions.
  [[nodiscard]] Result<> execute(std::span<std::byte* const> regions, std::span<const Bytes> sizes, Combine combine);

  /// The same in parts: begin() posts the first messages, advance() goes as far as is possible without waiting and says
  /// whether the execution is over; after an error it is, too.
  [[nodiscard]] Result<> begin(std::span<std::byte* const> regions, std::span<const Bytes> sizes, Combine combine);
  [[nodiscard]] Result<bool> advance();

 private:
  CompiledCall(CallShape shape, Rank rank, RankProgram program, Messages& messages, Carried carried);
  void place(std::span<std::byte* const> regions, std::span<const Bytes> sizes);
  void end();

  CallShape shape_;
  Rank rank_;
  bool own_block_is_apart_;
  RankProgram program_;
  std::vector<RegionUse> uses_;
  CallCarrier carrier_;
  Combine combine_;
  Executor executor_;
  std::vector<std::byte*> regions_;
  std::vector<Bytes> sizes_;
  Memory scratch_;       ///< of the execution that is under way
  Memory kept_scratch_;  ///< where it is small
  bool has_kept_scratch_ = false;
};

}  // namespace ayatori::plugin
