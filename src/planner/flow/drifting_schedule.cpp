#include "drifting_schedule.hpp"

#include <algorithm>

#include "modes.hpp"

namespace ayatori {

DriftingSchedule::DriftingSchedule(const Schedule& schedule, const FlowOptions& options, Traffic& traffic,
                                   ParticipantPlacement placement, std::uint32_t number)
    : schedule_(schedule),
      options_(options),
      traffic_(traffic),
      placement_(placement),
      first_token_(Token{number} << number_shift),
      streams_(schedule.stream_count()),
      progress_(std::size_t{schedule.participant_count()} * streams_) {}

Rank DriftingSchedule::place_of(Rank participant) const {
  const Rank ranks = schedule_.call().ranks;
  return participant < ranks ? placement_.ranks + participant : placement_.routers + (participant - ranks);
}

void DriftingSchedule::begin() {
  streams_left_ = progress_.size();
  for (StreamId id = 0; id < progress_.size(); ++id) {
    progress_[id] = {};
    const double late = lateness(participant(id));
    if (late > 0 && stream(id) > 0) continue;  // until the first stream's processor is free
    progress_[id].local = late;
    ready_.push_back(id);
  }
}

double DriftingSchedule::lateness(Rank participant) const {
  return participant < std::min<std::size_t>(options_.late.size(), schedule_.call().ranks) ? options_.late[participant]
                                                                                           : 0;
}

/// Local operations of a stream's step are done, or those that its rank was late for.
void DriftingSchedule::end_local_operations(StreamId id) {
  progress_[id].local = 0;
  ready_.push_back(id);
  if (progress_[id].step > 0) return;
  for (std::uint32_t other = 1; other < streams_; ++other) ready_.push_back(id + other);
}

void DriftingSchedule::complete(Token token) {
  --under_way_;
  const auto id = static_cast<std::uint32_t>(token >> kind_bits);
  switch (static_cast<Kind>(token & ((1U << kind_bits) - 1))) {
    case Kind::message:
      return arrive(id);
    case Kind::send_overhead:
      return make_ready(id);
    case Kind::receive_overhead:
      return end_receive(id);
    case Kind::answer:
      return end_send(id);
    case Kind::local_operations:
      return end_local_operations(id);
  }
}

void DriftingSchedule::occupy(Rank participant, double seconds, Token token) {
  ++under_way_;
  traffic_.occupy(place_of(participant), seconds, token);
}

/// The sender's processor is done with the message.
void DriftingSchedule::make_ready(MessageId id) {
  PostedMessage& message = matcher_[id];
  message.ready = true;
  const bool departs = message.eager || message.receive_posted;
  if (message.eager) complete_message(message.sender);
  if (departs) depart(id);
}

void DriftingSchedule::arrive(MessageId id) {
  matcher_[id].arrived = true;
  if (matcher_[id].receive_posted) begin_receive(id);
}

void DriftingSchedule::begin_receive(MessageId id) {
  const PostedMessage& message = matcher_[id];
  const Rank from = participant(message.sender);
  const Rank to = participant(message.receiver);
  const double seconds = traffic_.resources().receive_seconds(place_of(from), place_of(to), message.bytes);
  if (seconds == 0) return end_receive(id);
  occupy(to, seconds, token_of(Kind::receive_overhead, id));
}

/// The sender of a message that is not eager is done as well, or as soon as its core is scheduled to it.
void DriftingSchedule::end_receive(MessageId id) {
  const PostedMessage& message = matcher_[id];
  const Rank sender = place_of(participant(message.sender));
  const double delay = message.eager ? 0 : traffic_.resources().scheduling_delay(sender, 0);
  if (delay > 0) {
    ++under_way_;
    traffic_.start_timer(delay, token_of(Kind::answer, id));
    return complete_message(message.receiver);
  }
  if (!message.eager) complete_message(message.sender);
  complete_message(message.receiver);
  matcher_.release(id);
}

void DriftingSchedule::end_send(MessageId id) {
  complete_message(matcher_[id].sender);
  matcher_.release(id);
}

void DriftingSchedule::complete_message(StreamId id) {
  if (--progress_[id].open == 0) ready_.push_back(id);
}

/// A stream is ready when the messages of its step are complete: it does the step's local operations, or begins the
/// next step.
Result<> DriftingSchedule::advance() {
  while (!ready_.empty()) {
    ready_now_.swap(ready_);
    for (const StreamId id : ready_now_) {
      if (auto begun = advance(id); !begun) return begun;
    }
    ready_now_.clear();
  }
  if (streams_left_ != 0 && under_way_ == 0) return deadlock();
  return {};
}

Result<> DriftingSchedule::advance(StreamId id) {
  Progress& progress = progress_[id];
  if (progress.local > 0) {
    occupy(participant(id), progress.local, token_of(Kind::local_operations, id));
    return {};
  }
  if (progress.step == schedule_.step_count(stream(id))) {
    progress.end = traffic_.now();
    --streams_left_;
    return {};
  }
  return begin_step(id, progress.step++);
}

Result<> DriftingSchedule::begin_step(StreamId self, std::size_t step) {
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

void DriftingSchedule::post_receive(StreamId sender, StreamId receiver) {
  const MessageId id = matcher_.post_receive(sender, receiver);
  PostedMessage& message = matcher_[id];
  if (message.arrived) {
    begin_receive(id);
  } else if (message.ready && !message.eager) {
    depart(id);
  }
}

void DriftingSchedule::post_send(StreamId sender, StreamId receiver, Bytes bytes) {
  const MessageId id = matcher_.post_send(sender, receiver);
  PostedMessage& message = matcher_[id];
  const Rank from = place_of(participant(sender));
  const Rank to = place_of(participant(receiver));
  message.bytes = bytes;
  message.eager = bytes <= traffic_.resources().costs(from, to, bytes).eager_limit;
  const double seconds = traffic_.resources().send_seconds(from, to, bytes);
  if (seconds == 0) return make_ready(id);
  occupy(participant(sender), seconds, token_of(Kind::send_overhead, id));
}

void DriftingSchedule::depart(MessageId id) {
  const PostedMessage& message = matcher_[id];
  const Rank from = place_of(participant(message.sender));
  const Rank to = place_of(participant(message.receiver));
  ++messages_;
  ++under_way_;
  const bool within = traffic_.send_paced(from, to, message.bytes, token_of(Kind::message, id));
  if (!within) network_bytes_ += message.bytes;
}

double DriftingSchedule::end() const {
  double last = 0;
  for (const Progress& progress : progress_) last = std::max(last, progress.end);
  return last;
}

std::vector<double> DriftingSchedule::rank_ends() const {
  std::vector<double> ends(schedule_.call().ranks);
  for (StreamId id = 0; id < progress_.size(); ++id) {
    if (participant(id) >= ends.size()) continue;
    double& rank = ends[participant(id)];
    rank = std::max(rank, progress_[id].end);
  }
  return ends;
}

Failure DriftingSchedule::unknown_peer(StreamId self, Rank peer, std::size_t step) const {
  return no_such_peer(schedule_, participant(self), peer, stream(self), step);
}

Failure DriftingSchedule::deadlock() const {
  const auto waits = [](const Progress& progress) { return progress.end < 0; };
  const auto id = static_cast<StreamId>(std::ranges::find_if(progress_, waits) - progress_.begin());
  auto failure = fail("the schedule deadlocks: participant {} never ends step {} of stream {}", participant(id),
                      progress_[id].step - 1, stream(id));
  const PostedMessage* message = matcher_.unmatched(id);
  if (message == nullptr) return failure;
  return with_cause(std::move(failure),
                    message->send_posted
                        ? fmt::format("{} never posts a receive for its message", participant(message->receiver))
                        : fmt::format("{} never sends it a message", participant(message->sender)));
}

}  // namespace ayatori
