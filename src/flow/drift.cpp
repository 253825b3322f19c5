#include <algorithm>

#include "mailboxes.hpp"
#include "modes.hpp"
#include "traffic.hpp"

namespace ayatori {

namespace {

/// Every stream of every participant goes through its steps as soon as it can.
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
    for (Party party = 0; party < progress_.size(); ++party) ready_.push_back(party);
    std::vector<Token> over;
    do {
      for (const Token token : over) end(token);
      if (auto gone_on = go_on(); !gone_on) return Failure(gone_on.error());
    } while (traffic_.advance(over));
    if (auto ended = check_end(); !ended) return Failure(ended.error());
    return prediction();
  }

 private:
  struct Progress {
    std::size_t step = 0;
    std::uint32_t open = 0;  // messages of this step that are not over
    double local = 0;        // seconds of this step's local operations
    double end = -1;         // of the last step; negative before
  };

  [[nodiscard]] Rank participant(Party party) const { return party / streams_; }
  [[nodiscard]] std::uint32_t stream(Party party) const { return party % streams_; }
  [[nodiscard]] Party party(Rank participant, std::uint32_t stream) const { return participant * streams_ + stream; }

  static Token token_of(MessageId message) { return Token{message} << 1; }
  static Token local_token_of(Party party) { return (Token{party} << 1) | 1; }

  void end(Token token) {
    const auto id = static_cast<std::uint32_t>(token >> 1);
    if ((token & 1) == 0) return arrive(id);
    progress_[id].local = 0;
    ready_.push_back(id);
  }

  void arrive(MessageId id) {
    PostedMessage& message = mailboxes_[id];
    message.arrived = true;
    if (!message.eager) close(message.sender);
    if (message.awaited) receive(id);
  }

  void receive(MessageId id) {
    close(mailboxes_[id].receiver);
    mailboxes_.release(id);
  }

  void close(Party party) {
    if (--progress_[party].open == 0) ready_.push_back(party);
  }

  /// Ready are those whose messages are over: they do their local operations, or begin their next step.
  Result<> go_on() {
    while (!ready_.empty()) {
      ready_now_.swap(ready_);
      for (const Party party : ready_now_) {
        if (auto begun = go_on(party); !begun) return begun;
      }
      ready_now_.clear();
    }
    return {};
  }

  Result<> go_on(Party party) {
    Progress& progress = progress_[party];
    if (progress.local > 0) {
      traffic_.wait(progress.local, local_token_of(party));
      return {};
    }
    if (progress.step == schedule_.step_count(stream(party))) {
      progress.end = traffic_.now();
      return {};
    }
    return begin_step(party, progress.step++);
  }

  Result<> begin_step(Party self, std::size_t step) {
    schedule_.actions(participant(self), stream(self), step, actions_);
    Progress& progress = progress_[self];
    // One more, so that it is not ready before all is posted.
    progress.open = static_cast<std::uint32_t>(actions_.sends.size() + actions_.receives.size() + 1);
    progress.local = local_seconds(schedule_, participant(self), actions_, options_);
    for (const Transfer& transfer : actions_.receives) {
      if (transfer.peer >= schedule_.participant_count()) return stranger(self, transfer.peer, step);
      post_receive(party(transfer.peer, stream(self)), self);
    }
    for (const Transfer& transfer : actions_.sends) {
      if (transfer.peer >= schedule_.participant_count()) return stranger(self, transfer.peer, step);
      post_send(self, party(transfer.peer, stream(self)), bytes_of(schedule_, participant(self), actions_, transfer));
    }
    close(self);
    return {};
  }

  Failure stranger(Party self, Rank peer, std::size_t step) {
    return no_such_peer(schedule_, participant(self), peer, stream(self), step);
  }

  void post_receive(Party sender, Party receiver) {
    const MessageId id = mailboxes_.post_receive(sender, receiver);
    PostedMessage& message = mailboxes_[id];
    if (message.arrived) {
      receive(id);
    } else if (message.sent && !message.eager) {
      depart(id);
    }
  }

  void post_send(Party sender, Party receiver, Bytes bytes) {
    const MessageId id = mailboxes_.post_send(sender, receiver);
    PostedMessage& message = mailboxes_[id];
    message.bytes = bytes;
    message.eager = bytes <= options_.eager_limit;
    if (message.eager) close(sender);
    if (message.eager || message.awaited) depart(id);
  }

  void depart(MessageId id) {
    const PostedMessage& message = mailboxes_[id];
    const Rank from = participant(message.sender);
    const Rank to = participant(message.receiver);
    ++messages_;
    if (!traffic_.send(from, to, message.bytes, token_of(id))) network_bytes_ += message.bytes;
  }

  /// Error: somebody waits for ever.
  Result<> check_end() {
    for (Party party = 0; party < progress_.size(); ++party) {
      if (progress_[party].end < 0) return deadlock(party);
    }
    return {};
  }

  Failure deadlock(Party party) {
    auto failure = fail("the schedule deadlocks: participant {} never ends step {} of stream {}", participant(party),
                        progress_[party].step - 1, stream(party));
    const PostedMessage* message = mailboxes_.unmatched(party);
    if (message == nullptr) return failure;
    return with_cause(std::move(failure),
                      message->sent
                          ? fmt::format("{} never posts a receive for its message", participant(message->receiver))
                          : fmt::format("{} never sends it a message", participant(message->sender)));
  }

  Prediction prediction() const {
    Prediction result;
    result.rank_seconds.resize(schedule_.call().ranks);
    for (Party party = 0; party < progress_.size(); ++party) {
      const double end = progress_[party].end;
      result.seconds = std::max(result.seconds, end);
      if (participant(party) >= schedule_.call().ranks) continue;
      double& rank = result.rank_seconds[participant(party)];
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
  Mailboxes mailboxes_;
  std::uint32_t streams_;
  std::vector<Progress> progress_;  // by party
  std::vector<Party> ready_;
  std::vector<Party> ready_now_;
  StepActions actions_;
  std::uint64_t messages_ = 0;
  Bytes network_bytes_ = 0;
};

}  // namespace

Result<Prediction> simulate_drift(const Schedule& schedule, const Resources& resources, const FlowOptions& options) {
  return Drift(schedule, resources, options).run();
}

}  // namespace ayatori
