#include "ayatori/schedule/planned_steps.hpp"

namespace ayatori {

Result<PlannedSteps> PlannedSteps::of(Rank ranks, std::vector<Rank> destinations) {
  if (ranks == 0 ? !destinations.empty() : destinations.size() % ranks != 0) {
    return fail("a table of {} entries has no whole steps of {} ranks", destinations.size(), ranks);
  }
  PlannedSteps steps(ranks, std::move(destinations));
  if (auto found = steps.find_sources(); !found) return Failure(found.error());
  if (auto checked = steps.check_pairs(); !checked) return Failure(checked.error());
  return steps;
}

Result<PlannedSteps> PlannedSteps::of(const StepSequence& steps) {
  const Rank ranks = steps.rank_count();
  std::vector<Rank> destinations(steps.step_count() * ranks, no_id);
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    for (const Message& message : messages) {
      Rank& to = destinations[s * ranks + message.from];
      if (to != no_id) return fail("rank {} sends twice in step {}", message.from, s);
      to = message.to;
    }
  }
  return of(ranks, std::move(destinations));
}

void PlannedSteps::step(std::size_t index, std::vector<Message>& messages) const {
  messages.clear();
  for (Rank from = 0; from < ranks_; ++from) {
    if (destination(index, from) != no_id) messages.push_back({from, destination(index, from)});
  }
}

Result<> PlannedSteps::find_sources() {
  from_.assign(to_.size(), no_id);
  for (std::size_t s = 0; s < step_count(); ++s) {
    for (Rank from = 0; from < ranks_; ++from) {
      const Rank to = destination(s, from);
      if (to == no_id) continue;
      if (to >= ranks_) return fail("rank {} sends to {} in step {}, but there are {} ranks", from, to, s, ranks_);
      if (to == from) return fail("rank {} sends to itself in step {}", from, s);
      Rank& source = from_[s * ranks_ + to];
      if (source != no_id) return fail("rank {} receives from {} and from {} in step {}", to, source, from, s);
      source = from;
    }
  }
  return {};
}

Result<> PlannedSteps::check_pairs() const {
  std::vector<bool> sent;
  for (Rank from = 0; from < ranks_; ++from) {
    sent.assign(ranks_, false);
    for (std::size_t s = 0; s < step_count(); ++s) {
      const Rank to = destination(s, from);
      if (to == no_id) continue;
      if (sent[to]) return fail("rank {} sends to {} twice", from, to);
      sent[to] = true;
    }
    for (Rank to = 0; to < ranks_; ++to) {
      if (to != from && !sent[to]) return fail("rank {} never sends to {}", from, to);
    }
  }
  return {};
}

}  // namespace ayatori
