#pragma once
/// \file
/// A schedule that runs over Traffic which others may use at the same time: every stream of every participant takes its
/// next step as soon as its own messages are complete (StepMode::drift). It may be begun again after its end, as by a
/// program that calls a collective in a loop.

#include <vector>

#include "ayatori/flow/simulate.hpp"
#include "message_matcher.hpp"
#include "traffic.hpp"

namespace ayatori {

/// Where the participants of a schedule are among those of all paths: its ranks from `ranks` on, its routers from
/// `routers` on.
struct ParticipantPlacement {
  Rank ranks = 0;
  Rank routers = 0;
};

/// Not safe for concurrent use.
class DriftingSchedule {
 public:
  /// Tokens of schedules with different numbers, which are below max_number, differ. What is referred to must outlive
  /// it.
  DriftingSchedule(const Schedule& schedule, const FlowOptions& options, Traffic& traffic,
                   ParticipantPlacement placement, std::uint32_t number);

  static constexpr std::uint32_t max_number = (1U << 24) - 1;
  /// The number of the schedule that a token belongs to.
  [[nodiscard]] static std::uint32_t number_of(Token token) {
    return static_cast<std::uint32_t>(token >> number_shift);
  }

  /// All streams begin now, with their first step. Precondition: it has not begun, or has ended.
  void begin();
  /// One of its tokens is complete; advance() goes on from there.
  void complete(Token token);
  /// Begins all steps that can begin now. Errors: a participant that does not exist; a schedule that deadlocks, which
  /// is seen when nothing of it is under way any more (names participant, stream and step).
  Result<> advance();

  [[nodiscard]] bool has_ended() const { return streams_left_ == 0; }
  /// It has ended, and no message is left over that nobody has received.
  [[nodiscard]] bool is_quiet() const { return has_ended() && under_way_ == 0 && matcher_.empty(); }
  /// When the last stream, and the last one of each rank, ended: seconds since Traffic began.
  [[nodiscard]] double end() const;
  [[nodiscard]] std::vector<double> rank_ends() const;

  /// Since it was made.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] Bytes network_bytes() const { return network_bytes_; }

 private:
  struct Progress {
    std::size_t step = 0;
    std::uint32_t open = 0;  // messages of this step that are not complete
    double local = 0;        // seconds of this step's local operations
    double end = -1;         // when the last step ended; negative before
  };

  static constexpr unsigned number_shift = 40;

  [[nodiscard]] Rank participant(StreamId id) const { return id / streams_; }
  [[nodiscard]] std::uint32_t stream(StreamId id) const { return id % streams_; }
  [[nodiscard]] StreamId id_of(Rank participant, std::uint32_t stream) const { return participant * streams_ + stream; }
  [[nodiscard]] Rank place_of(Rank participant) const;
  /// What is over when a token is complete: of a message, or of a stream.
  enum class Kind : std::uint8_t { message, send_overhead, receive_overhead, answer, local_operations };
  static constexpr unsigned kind_bits = 3;
  [[nodiscard]] Token token_of(Kind kind, std::uint32_t id) const {
    return first_token_ | (Token{id} << kind_bits) | static_cast<Token>(kind);
  }

  [[nodiscard]] double lateness(Rank participant) const;
  void end_local_operations(StreamId id);
  void occupy(Rank participant, double seconds, Token token);
  void make_ready(MessageId id);
  void arrive(MessageId id);
  void begin_receive(MessageId id);
  void end_receive(MessageId id);
  void end_send(MessageId id);
  void complete_message(StreamId id);
  Result<> advance(StreamId id);
  Result<> begin_step(StreamId self, std::size_t step);
  void post_receive(StreamId sender, StreamId receiver);
  void post_send(StreamId sender, StreamId receiver, Bytes bytes);
  void depart(MessageId id);
  [[nodiscard]] Failure unknown_peer(StreamId self, Rank peer, std::size_t step) const;
  [[nodiscard]] Failure deadlock() const;

  const Schedule& schedule_;
  const FlowOptions& options_;
  Traffic& traffic_;
  ParticipantPlacement placement_;
  Token first_token_;
  MessageMatcher matcher_;
  std::uint32_t streams_;
  std::vector<Progress> progress_;  // by StreamId
  std::size_t streams_left_ = 0;    // that have not ended
  std::uint64_t under_way_ = 0;     // messages and timers
  std::vector<StreamId> ready_;
  std::vector<StreamId> ready_now_;
  StepActions actions_;
  std::uint64_t messages_ = 0;
  Bytes network_bytes_ = 0;
};

}  // namespace ayatori
