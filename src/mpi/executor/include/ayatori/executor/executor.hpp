#pragma once
/// \file
/// Executes a Schedule for one participant: posts the messages of a step, waits for them, does the step's local
/// operations, and goes on to the next step; streams advance independently of each other (schedule.hpp).
///
/// What carries the messages is behind an interface (Carrier), so the same engine runs over MPI, over threads, or over
/// a recording in a test. It takes no time of its own, has no thread of its own, and keeps no state outside the object.

#include <functional>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/executor/carrier.hpp"
#include "ayatori/executor/rank_program.hpp"

namespace ayatori {

/// In which order operands are combined.
enum class OperandOrder : std::uint8_t { any, to_first, from_first };

/// Combines `bytes` bytes at `from` into those at `to`: to = to ∘ from, or if `order` says from_first, to = from ∘ to.
/// Called with whole elements only.
using Combine = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order)>;

/// Allocates memory when it is made, and none afterwards. Not safe for concurrent use.
class Executor {
 public:
  /// `program` and `carrier` must outlive the executor. `combine` may be empty if the program reduces nothing. A
  /// carrier serves one executor at a time.
  Executor(const RankProgram& program, Carrier& carrier, Combine combine);

  /// Begins to execute: posts the first messages of every stream. `regions` says where each region of the program
  /// begins; it has RankProgram::region_bytes() bytes, which nobody else may touch until the execution is done.
  /// Precondition: no execute is under way. Error: another number of regions than the program has, or the carrier's.
  [[nodiscard]] Result<> start(std::span<std::byte* const> regions);

  /// Begins to execute with other sizes than those that the program was compiled with: `sizes` has the bytes of each
  /// region. For programs in which every slot is a region (of an alltoallv, say). Messages that have no bytes then are
  /// not sent: both ends must give the slots of a message the same sizes.
  [[nodiscard]] Result<> start(std::span<std::byte* const> regions, std::span<const Bytes> sizes);

  /// start() and finish() in one. An execution of one stream has its messages carried step by step, all of a step at
  /// once where the carrier can do that (Carrier::exchange).
  [[nodiscard]] Result<> execute(std::span<std::byte* const> regions);
  [[nodiscard]] Result<> execute(std::span<std::byte* const> regions, std::span<const Bytes> sizes);

  /// Goes as far as is possible without waiting. True when the execution is done. Error: the carrier's; the execution
  /// has ended then, and messages that are under way are the carrier's to give up.
  [[nodiscard]] Result<bool> advance();

  /// Waits until the execution is done.
  [[nodiscard]] Result<> finish();

  /// Whether there is nothing left to wait for, also before the first start.
  [[nodiscard]] bool done() const { return open_ == 0; }

 private:
  struct Stream {
    std::uint32_t step = 0;
    std::uint32_t open = 0;  ///< messages of the step that are not complete
  };

  [[nodiscard]] Result<> place(std::span<std::byte* const> regions);
  [[nodiscard]] Result<> place(std::span<std::byte* const> regions, std::span<const Bytes> sizes);
  [[nodiscard]] Result<> begin_streams();
  [[nodiscard]] Result<> execute_through();
  [[nodiscard]] Result<bool> exchange(const RankProgram::Step& step);
  [[nodiscard]] Result<> carry_one_by_one(const RankProgram::Step& step);
  [[nodiscard]] std::byte* address(const RankProgram::Piece& piece) const;
  [[nodiscard]] Result<> begin_steps(std::uint32_t stream);
  [[nodiscard]] Result<> post_messages(std::uint32_t stream, const RankProgram::Step& step);
  void do_locals(const RankProgram::Step& step);
  [[nodiscard]] Result<> complete(std::size_t count);
  [[nodiscard]] Result<> give_up(const Error& error);

  const RankProgram& program_;
  Carrier& carrier_;
  Combine combine_;
  std::vector<std::byte*> regions_;
  std::vector<Bytes> sizes_;                  ///< by region, in an execution with sizes of its own; empty otherwise
  std::vector<std::span<std::byte>> pieces_;  ///< the program's, in this execution's memory
  std::vector<CarriedMessage> messages_;      ///< the program's; their pieces are parts of `pieces_`
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> stream_of_;  ///< by request
  std::vector<RequestId> completed_;      ///< the first `count` of them, as the carrier reported them
  std::uint32_t open_ = 0;                ///< messages of all streams that are not complete
};

}  // namespace ayatori
