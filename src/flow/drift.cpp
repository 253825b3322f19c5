#include <algorithm>

#include "message_matcher.hpp"
#include "modes.hpp"
#include "traffic.hpp"

namespace ayatori {

namespace {

/// Every stream of every participant takes its next step as soon as its own messages are complete.
class Drift {
 public:
  Drift(const Schedule& schedule, const Resources& resources, const FlowOptions& options)
      : schedule_(schedule),
        resources_(resources),
        options_(options),
        traffic_(resources, options.head_of_line),
        streams_(schedule.stream_count()),
        progress_(std::size_t{schedule.participant_count()} * streams_) {}

  Result<Prediction> run() {
    for (StreamId id = 0; id < progress_.size(); ++id) ready_.push_back(id);
    std::vector<Token> completed;
    do {
      for (const Token token : completed) complete(token);
      if (auto advanced = advance_ready(); !advanced) return Failure(advanced.error());
    } while (traffic_.advance(completed));
    if (auto ended = check_end(); !ended) return Failure(ended.error());
    return prediction();
  }

 private:
  struct Progress {
    std::size_t step = 0;
    std::uint32_t open = 0;  // messages of this step that are not complete
    double local = 0;        // seconds of this step's local operations
    double end = -1;         // when the last step ended; negative before
  };

  [[nodiscard]] Rank participant(StreamId id) const { return id / streams_; }
  [[nodiscard]] std::uint32_t stream(StreamId id) const { return id % streams_; }
  [[nodiscard]] StreamId id_of(Rank participant, std::uint32_t stream) const { return participant * streams_ + stream; }

  static Token token_of(MessageId message) { return Token{message} << 1; }
  static Token local_token_of(StreamId id) { return (Token{id} << 1) | 1; }

  void complete(Token token) {
    const auto id = static_cast<std::uint32_t>(token >> 1);
    if ((token & 1) == 0) return arrive(id);
    progress_[id].local = 0;
    ready_.push_back(id);
  }

  void arrive(MessageId id) {
    PostedMessage& message = matcher_[id];
    message.arrived = true;
    if (!message.eager) complete_message(message.sender);
    if (message.receive_posted) receive(id);
  }

  void receive(MessageId id) {
    complete_message(matcher_[id].receiver);
    matcher_.release(id);
  }

  void complete_message(StreamId id) {
    if (--progress_[id].open == 0) ready_.push_back(id);
  }

  /// A stream is ready when the messages of its step are complete: it does the step's local operations, or begins the
  /// next step.
  Result<> advance_ready() {
    while (!ready_.empty()) {
      ready_now_.swap(ready_);
      for (const StreamId id : ready_now_) {
        if (auto begun = advance(id); !begun) return begun;
      }
      ready_now_.clear();
    }
    return {};
  }

  Result<> advance(StreamId id) {
    Progress& progress = progress_[id];
    if (progress.local > 0) {
      traffic_.start_timer(progress.local, local_token_of(id));
      return {};
    }
    if (progress.step == schedule_.step_count(stream(id))) {
      progress.end = traffic_.now();
      return {};
    }
    return begin_step(id, progress.step++);
  }

  Result<> begin_step(StreamId self, std::size_t step) {
    schedule_.actions(participant(self), stream(self), step, actions_);
    Progress& progress = progress_[self];
    // One more, so that the stream is not ready before all messages are posted.
    progress.open = static_cast<std::uint32_t>(actions_.sends.size() + actions_.receives.size() + 1);
    progress.local = local_seconds(schedule_, participant(self), actions_, options_);
    for (const Transfer& transfer : actions_.receives) {
      if (transfer.peer >= schedule_.participant_count()) return unknown_peer(self, transfer.peer, step);
      post_receive(id_of(transfer.peer, stream(self)), self);
    }
    for (const Transfer& transfer : actions_.sends) {
      if (transfer.peer >= schedule_.participant_count()) return unknown_peer(self, transfer.peer, step);
      post_send(self, id_of(transfer.peer, stream(self)), bytes_of(schedule_, participant(self), actions_, transfer));
    }
    complete_message(self);
    return {};
  }

  Failure unknown_peer(StreamId self, Rank peer, std::size_t step) {
    return no_such_peer(schedule_, participant(self), peer, stream(self), step);
  }

  void post_receive(StreamId sender, StreamId receiver) {
    const MessageId id = matcher_.post_receive(sender, receiver);
    PostedMessage& message = matcher_[id];
    if (message.arrived) {
      receive(id);
    } else if (message.send_posted && !message.eager) {
      depart(id);
    }
  }

  void post_send(StreamId sender, StreamId receiver, Bytes bytes) {
    const MessageId id = matcher_.post_send(sender, receiver);
    PostedMessage& message = matcher_[id];
    message.bytes = bytes;
    message.eager = bytes <= options_.eager_limit;
    if (message.eager) complete_message(sender);
    if (message.eager || message.receive_posted) depart(id);
  }

  void depart(MessageId id) {
    const PostedMessage& message = matcher_[id];
    const Rank from = participant(message.sender);
    const Rank to = participant(message.receiver);
    ++messages_;
    if (!traffic_.send(from, to, message.bytes, token_of(id))) network_bytes_ += message.bytes;
  }

  /// Error: a stream that waits forever.
  Result<> check_end() {
    for (StreamId id = 0; id < progress_.size(); ++id) {
      if (progress_[id].end < 0) return deadlock(id);
    }
    return {};
  }

  Failure deadlock(StreamId id) {
    auto failure = fail("the schedule deadlocks: participant {} never ends step {} of stream {}", participant(id),
                        progress_[id].step - 1, stream(id));
    const PostedMessage* message = matcher_.unmatched(id);
    if (message == nullptr) return failure;
    return with_cause(std::move(failure),
                      message->send_posted
                          ? fmt::format("{} never posts a receive for its message", participant(message->receiver))
                          : fmt::format("{} never sends it a message", participant(message->sender)));
  }

  Prediction prediction() const {
    Prediction result;
    result.rank_seconds.resize(schedule_.call().ranks);
    for (StreamId id = 0; id < progress_.size(); ++id) {
      const double end = progress_[id].end;
      result.seconds = std::max(result.seconds, end);
      if (participant(id) >= schedule_.call().ranks) continue;
      double& rank = result.rank_seconds[participant(id)];
      rank = std::max(rank, end);
    }
    result.messages = messages_;
    result.network_bytes = network_bytes_;
    result.hot_links = hottest_links(resources_, traffic_.link_bytes(), traffic_.saturated_seconds(), result.seconds);
    return result;
  }

  const Schedule& schedule_;
  const Resources& resources_;
  const FlowOptions& options_;
  Traffic traffic_;
  MessageMatcher matcher_;
  std::uint32_t streams_;
  std::vector<Progress> progress_;  // by StreamId
  std::vector<StreamId> ready_;
  std::vector<StreamId> ready_now_;
  StepActions actions_;
  std::uint64_t messages_ = 0;
  Bytes network_bytes_ = 0;
};

}  // namespace

Result<Prediction> simulate_drift(const Schedule& schedule, const Resources& resources, const FlowOptions& options) {
  return Drift(schedule, resources, options).run();
}

}  // namespace ayatori
