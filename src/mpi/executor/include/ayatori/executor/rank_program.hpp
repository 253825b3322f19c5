#pragma once
/// \file
/// What one participant of a schedule does, with offsets and lengths in memory instead of slots. It is compiled once
/// and can be executed any number of times.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/executor/carrier.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

struct ProgramOptions {
  /// Bytes of one element. A schedule counts in elements then, so that no element is cut into two.
  Bytes element_bytes = 1;
  /// The first slot of each region of memory, in rising order, beginning with 0. The slots of a region follow each
  /// other in memory; the regions lie wherever the caller of Executor::start says. An alltoall of n ranks, for example,
  /// is executed straight from the send buffer into the receive buffer with the regions {0, n, 2n}.
  std::vector<Slot> region_starts = {0};
  /// For measuring time without real data: all messages use the first max_message_bytes() of region 0,
  /// and there are no local operations.
  bool timing_only = false;
};

/// Immutable; safe to read from many threads.
class RankProgram {
 public:
  /// Part of a region.
  struct Piece {
    std::uint32_t region = 0;
    Bytes offset = 0;
    Bytes bytes = 0;
  };
  /// Pieces `first_piece` … `first_piece + piece_count − 1`, which have `bytes` together.
  struct Message {
    Rank peer = 0;
    std::uint32_t first_piece = 0;
    std::uint32_t piece_count = 0;
    Bytes bytes = 0;
  };
  /// `from` and `to` have the same number of bytes and do not overlap.
  struct Local {
    LocalOperation::Kind kind = LocalOperation::Kind::copy;
    Piece from;
    Piece to;
  };
  /// Messages `first_message` …: first the receives, then the sends. Afterwards the local operations, in their order.
  struct Step {
    std::uint32_t first_message = 0;
    std::uint32_t receive_count = 0;
    std::uint32_t send_count = 0;
    std::uint32_t first_local = 0;
    std::uint32_t local_count = 0;
    [[nodiscard]] std::uint32_t message_count() const { return receive_count + send_count; }
  };

  /// Walks all steps of `participant` once. Takes memory for each of its messages and local operations (some 50 bytes).
  /// Errors: a participant that the schedule does not have, options that do not fit.
  [[nodiscard]] static Result<RankProgram> compile(const Schedule& schedule, Rank participant,
                                                   const ProgramOptions& options = {});

  [[nodiscard]] std::uint32_t stream_count() const { return static_cast<std::uint32_t>(streams_.size()); }
  /// Those in which the participant is not idle.
  [[nodiscard]] std::span<const Step> steps(std::uint32_t stream) const { return streams_[stream].steps; }
  /// The first of the numbers that messages of this stream have while they are under way. Stream s has as many numbers
  /// as it has messages in its largest step.
  [[nodiscard]] RequestId first_request(std::uint32_t stream) const { return streams_[stream].first_request; }

  [[nodiscard]] std::span<const Message> messages() const { return messages_; }
  [[nodiscard]] std::span<const Piece> pieces() const { return pieces_; }
  [[nodiscard]] std::span<const Local> locals() const { return locals_; }

  /// The most messages that are under way at the same time: request numbers are below it.
  [[nodiscard]] std::uint32_t max_open_messages() const { return max_open_messages_; }
  /// The most pieces of one message.
  [[nodiscard]] std::uint32_t max_pieces() const { return max_pieces_; }
  [[nodiscard]] Bytes max_message_bytes() const { return max_message_bytes_; }
  /// By region: the bytes of the participant's slots in it.
  [[nodiscard]] std::span<const Bytes> region_bytes() const { return region_bytes_; }

 private:
  friend class ProgramCompiler;

  struct Stream {
    RequestId first_request = 0;
    std::vector<Step> steps;
  };

  std::vector<Stream> streams_;
  std::vector<Message> messages_;
  std::vector<Piece> pieces_;
  std::vector<Local> locals_;
  std::vector<Bytes> region_bytes_;
  std::uint32_t max_open_messages_ = 0;
  std::uint32_t max_pieces_ = 0;
  Bytes max_message_bytes_ = 0;
};

}  // namespace ayatori
