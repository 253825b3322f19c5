#include "conflict_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ayatori/contention/job_endpoints.hpp"
#include "bits.hpp"
#include "leaf_bound.hpp"
#include "rounding.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t max_steps = max_listed_steps;    ///< of a job: bits of a StepSet
constexpr std::size_t max_known_jobs = 3;                ///< of which b(s) is counted
constexpr std::size_t max_loads = std::size_t{1} << 22;  ///< steps times links
constexpr int max_chain = 24;                            ///< messages that move together
constexpr double hot_link_price = 0.5;                   ///< of a link with several messages of one step

/// Of alternating runs: one that forgets where it began, one that stays near the best, and the end of both.
constexpr double far_temperature = 4;
constexpr double near_temperature = 1;
constexpr double end_temperature = 0.15;
constexpr double shared_prices[] = {0.2, 0.5, 1};

bool every_link_carries_one(const PlanningTask& task) {
  LeafBound bound(task.network, task.endpoints, task.paths, task.weights, task.control);
  std::vector<Message> messages;
  for (LinkIndex link = 0; link < task.paths.link_count(); ++link) {
    if (task.weights[task.paths.port(link)] != 1) return false;
  }
  for (std::size_t s = 0; s < task.steps.step_count(); ++s) {
    task.steps.step(s, messages);
    const StepBound step = bound.of(messages);
    if (step.time > 1 || step.ideal > 1) return false;
  }
  return true;
}

}  // namespace

bool ConflictSearch::applies(std::span<const PlanningTask> jobs, const JointMessages& messages) {
  return !messages.all().empty() && std::size_t{messages.step_count()} * messages.link_count() <= max_loads &&
         std::ranges::all_of(jobs, [](const PlanningTask& task) {
           return task.steps.step_count() <= max_steps && every_link_carries_one(task);
         });
}

ConflictSearch::ConflictSearch(std::span<const PlanningTask> jobs, const JointMessages& messages,
                               std::span<const Footprint> others)
    : messages_(messages),
      control_(jobs[0].control),
      load_(std::size_t{messages.step_count()} * messages.link_count(), 0) {
  for (std::uint32_t job = 0; job <= jobs.size(); ++job) first_step_.push_back(messages.first_step(job));
  const Network& network = jobs[0].network;
  if (!others.empty()) add_others(network, others);
  job_count_ = static_cast<std::uint32_t>(jobs.size() + standing_.size());
  for (const Footprint* other : standing_) {
    first_step_.push_back(first_step_.back() + static_cast<std::uint32_t>(other->steps));
  }
  const std::size_t steps = first_step_.back();
  shared_.assign(steps * steps, 0);
  conflicting_.assign(steps * job_count_, 0);
  job_time_.assign(job_count_, 0);
  job_ideal_.assign(job_count_, 0);
  is_changed_.assign(steps, false);
  if (job_count_ == 3) triple_.assign(std::size_t{step_count(0)} * step_count(1) * step_count(2), 0);
  add_steps(jobs);
  add_standing_steps();
  first_message_.assign(steps_.size() + 1, 0);
  place_standing(network);
  refresh_times();
  max_value_ = value_now();
  add_messages();
  best_ = choice_;
  best_hot_links_ = hot_links_;
  best_value_ = value_now();
}

/// Of the jobs that can share a link with a new job, a few whose steps are known take part; the others are occupancies.
void ConflictSearch::add_others(const Network& network, std::span<const Footprint> others) {
  std::vector<LinkIndex> link_of_port(network.port_count(), no_id);
  for (LinkIndex link = 0; link < messages_.link_count(); ++link) link_of_port[messages_.port(link)] = link;
  std::vector<Footprint> unlisted;
  for (const Footprint& other : others) {
    if (!can_conflict(other, link_of_port)) continue;
    if (other.steps <= max_steps && other.lists_steps()) {
      standing_.push_back(&other);
    } else {
      unlisted.push_back(other);
    }
  }
  if (first_step_.size() - 1 + standing_.size() > max_known_jobs) {
    for (const Footprint* other : standing_) unlisted.push_back(*other);
    standing_.clear();
  }
  if (unlisted.empty()) return;
  const std::vector<LinkOccupancy> occupancies = link_occupancies(network, unlisted);
  for (LinkIndex link = 0; link < messages_.link_count(); ++link)
    occupancy_.push_back(occupancies[messages_.port(link)]);
}

bool ConflictSearch::can_conflict(const Footprint& other, const std::vector<LinkIndex>& link_of_port) const {
  return std::ranges::any_of(other.links, [&](const LinkUse& use) { return link_of_port[use.link] != no_id; });
}

/// A step that uses a link takes as long as one message: what hot spots a running job has by itself is not known.
void ConflictSearch::add_standing_steps() {
  const auto first = static_cast<std::uint32_t>(job_count_ - standing_.size());
  for (std::uint32_t i = 0; i < standing_.size(); ++i) {
    StepSet busy = 0;
    for (const LinkUse& use : standing_[i]->links) busy |= use.in_steps;
    for (std::uint32_t s = 0; s < standing_[i]->steps; ++s) {
      steps_.push_back({first + i, s, (busy >> s & 1U) != 0 ? 1.0 : 0.0});
      job_ideal_[first + i] += steps_.back().ideal;
      note_change(static_cast<std::uint32_t>(steps_.size() - 1));
    }
  }
}

/// Links that no new job can use count as well: two running jobs may conflict there.
void ConflictSearch::place_standing(const Network& network) {
  std::vector<LinkIndex> link_of_port(network.port_count(), no_id);
  LinkIndex links = messages_.link_count();
  for (LinkIndex link = 0; link < links; ++link) link_of_port[messages_.port(link)] = link;
  for (const Footprint* other : standing_) {
    for (const LinkUse& use : other->links) {
      if (link_of_port[use.link] == no_id) link_of_port[use.link] = links++;
    }
  }
  users_.assign(std::size_t{links} * job_count_, 0);
  const auto first = static_cast<std::uint32_t>(job_count_ - standing_.size());
  for (std::uint32_t i = 0; i < standing_.size(); ++i) {
    for (const LinkUse& use : standing_[i]->links) {
      for_each_bit(use.in_steps,
                   [&](std::uint32_t s) { count_users(first_step_[first + i] + s, link_of_port[use.link], 1); });
    }
  }
}

void ConflictSearch::add_steps(std::span<const PlanningTask> jobs) {
  std::vector<Message> sent;
  for (std::uint32_t job = 0; job < jobs.size(); ++job) {
    const PlanningTask& task = jobs[job];
    IdealTime ideal(task.network, task.endpoints, task.weights);
    for (std::uint32_t s = 0; s < step_count(job); ++s) {
      task.steps.step(s, sent);
      steps_.push_back({job, s, ideal.of(sent)});
      job_ideal_[job] += steps_.back().ideal;
      note_change(static_cast<std::uint32_t>(steps_.size() - 1));
    }
  }
  const double mean = std::max(1.0, static_cast<double>(first_step_.back()) / job_count_);
  conflict_cost_ = 2.0 / (job_count_ * mean * mean);
}

void ConflictSearch::add_messages() {
  for (std::uint32_t m = 0; m < messages_.all().size(); ++m) {
    ++first_message_[messages_.all()[m].step + 1];
    choice_.push_back(messages_.all()[m].choice);
    if (messages_.choice_count(m) > 1) movable_.push_back(m);
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) first_message_[s + 1] += first_message_[s];
  for (std::uint32_t m = 0; m < choice_.size(); ++m) place(m, choice_[m], 1);
  refresh_times();
}

void ConflictSearch::place(std::uint32_t message, std::uint32_t choice, int sign) {
  const std::uint32_t step = messages_.all()[message].step;
  note_change(step);
  for (const LinkIndex link : messages_.route(message, choice)) {
    std::uint16_t& messages = load(step, link);
    if (sign > 0) {
      if (++messages == 1) count_users(step, link, 1);
      if (messages == 2) ++hot_links_;
    } else {
      if (--messages == 0) count_users(step, link, -1);
      if (messages == 1) --hot_links_;
    }
  }
}

/// A step begins to use a link (sign 1), or uses it no longer (-1).
void ConflictSearch::count_users(std::uint32_t step, LinkIndex link, int sign) {
  for (std::uint32_t job = 0; job < job_count_; ++job) {
    if (job == steps_[step].job) continue;
    for_each_bit(users(link, job), [&](std::uint32_t number) { count_shared(step, first_step_[job] + number, sign); });
  }
  if (!triple_.empty()) count_triples(step, link, sign);
  users(link, steps_[step].job) ^= StepSet{1} << steps_[step].number;
}

void ConflictSearch::count_shared(std::uint32_t step, std::uint32_t other, int sign) {
  std::uint16_t& links = shared_[std::size_t{step} * steps_.size() + other];
  const std::uint16_t before = links;
  links = static_cast<std::uint16_t>(links + sign);
  shared_[std::size_t{other} * steps_.size() + step] = links;
  shared_links_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(sign));
  if ((before == 0) == (links == 0)) return;
  const Step& a = steps_[step];
  const Step& b = steps_[other];
  conflicting_[std::size_t{step} * job_count_ + b.job] ^= StepSet{1} << b.number;
  conflicting_[std::size_t{other} * job_count_ + a.job] ^= StepSet{1} << a.number;
  note_change(other);
}

void ConflictSearch::count_triples(std::uint32_t step, LinkIndex link, int sign) {
  const std::uint32_t job = steps_[step].job;
  const std::uint32_t second = (job + 1) % 3;
  const std::uint32_t third = (job + 2) % 3;
  std::array<std::uint32_t, 3> numbers{};
  numbers[job] = steps_[step].number;
  for_each_bit(users(link, second), [&](std::uint32_t b) {
    numbers[second] = b;
    for_each_bit(users(link, third), [&](std::uint32_t c) {
      numbers[third] = c;
      count_triple(numbers, sign);
    });
  });
}

void ConflictSearch::count_triple(std::array<std::uint32_t, 3> numbers, int sign) {
  std::uint16_t& links = triple_[(std::size_t{numbers[0]} * step_count(1) + numbers[1]) * step_count(2) + numbers[2]];
  const bool before = links != 0;
  links = static_cast<std::uint16_t>(links + sign);
  if (before == (links != 0)) return;
  for (std::uint32_t job = 0; job < 3; ++job) {
    const std::uint32_t step = first_step_[job] + numbers[job];
    steps_[step].triples += static_cast<std::uint32_t>(sign);
    note_change(step);
  }
}

void ConflictSearch::note_change(std::uint32_t step) {
  if (is_changed_[step]) return;
  is_changed_[step] = true;
  changed_.push_back(step);
}

void ConflictSearch::refresh_times() {
  for (const std::uint32_t s : changed_) {
    Step& step = steps_[s];
    const double time = time_of(s);
    job_time_[step.job] += time - step.time;
    step.time = time;
    is_changed_[s] = false;
  }
  changed_.clear();
}

double ConflictSearch::time_of(std::uint32_t s) const {
  const Step& step = steps_[s];
  if (step.ideal == 0) return 0;
  double alone = 1;
  double pairs = 1;
  for (std::uint32_t job = 0; job < job_count_; ++job) {
    if (job == step.job || step_count(job) == 0) continue;
    const int met = std::popcount(conflicting_[std::size_t{s} * job_count_ + job]);
    alone *= 1 - static_cast<double>(met) / step_count(job);
    pairs *= step_count(job);
  }
  if (occupancy_.empty()) return step.ideal + 1 - alone + step.triples / pairs;
  const LinkOccupancy nobody = free_of_others(s);
  double time = step.ideal + 1 - alone * nobody[0] + step.triples / pairs;
  for (std::size_t k = 1; k < nobody.size(); ++k) time += 1 - nobody[k];
  return time;
}

/// How likely no link of the step has 1, 2, … of the jobs that run already.
LinkOccupancy ConflictSearch::free_of_others(std::uint32_t s) const {
  LinkOccupancy nobody;
  nobody.fill(1);
  for (std::uint32_t m = first_message_[s]; m < first_message_[s + 1]; ++m) {
    for (const LinkIndex link : messages_.route(m, choice_[m])) {
      for (std::size_t k = 0; k < nobody.size(); ++k) nobody[k] *= 1 - occupancy_[link][k];
    }
  }
  return nobody;
}

double ConflictSearch::value_now() const {
  double value = 0;
  for (std::uint32_t job = 0; job < job_count_; ++job) {
    value += job_time_[job] == 0 ? 1 : job_ideal_[job] / job_time_[job];
  }
  return value / job_count_;
}

double ConflictSearch::cost() const {
  return 1 - value_now() + hot_link_price * static_cast<double>(hot_links_) +
         shared_price_ * conflict_cost_ * static_cast<double>(shared_links_);
}

void ConflictSearch::move(std::uint32_t message, std::uint32_t choice) {
  trail_.emplace_back(message, choice_[message]);
  place(message, choice_[message], -1);
  choice_[message] = choice;
  place(message, choice, 1);
}

void ConflictSearch::undo() {
  for (; !trail_.empty(); trail_.pop_back()) {
    const auto [message, choice] = trail_.back();
    place(message, choice_[message], -1);
    choice_[message] = choice;
    place(message, choice, 1);
  }
}

/// A message of the same step on a link that this one uses, or no_id.
std::uint32_t ConflictSearch::driven_away_by(std::uint32_t message) const {
  const std::uint32_t step = messages_.all()[message].step;
  for (const LinkIndex link : messages_.route(message, choice_[message])) {
    if (load_[std::size_t{step} * messages_.link_count() + link] < 2) continue;
    for (std::uint32_t other = first_message_[step]; other < first_message_[step + 1]; ++other) {
      if (other == message || messages_.choice_count(other) < 2) continue;
      const auto route = messages_.route(other, choice_[other]);
      if (std::ranges::find(route, link) != route.end()) return other;
    }
  }
  return no_id;
}

/// Of the other choices of a message one with the fewest messages of its step.
std::uint32_t ConflictSearch::least_loaded_choice(std::uint32_t message, Random& random) const {
  const std::uint32_t step = messages_.all()[message].step;
  const std::uint32_t choices = messages_.choice_count(message);
  const auto first = static_cast<std::uint32_t>(random.below(choices));
  std::uint32_t best = choice_[message];
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t i = 0; i < choices; ++i) {
    const std::uint32_t choice = (first + i) % choices;
    if (choice == choice_[message]) continue;
    std::uint32_t messages = 0;
    for (const LinkIndex link : messages_.route(message, choice)) {
      messages += load_[std::size_t{step} * messages_.link_count() + link];
    }
    if (messages >= least) continue;
    least = messages;
    best = choice;
  }
  return best;
}

/// False if messages still drive each other away in the end.
bool ConflictSearch::move_in_chain(std::uint32_t message, std::uint32_t choice, Random& random) {
  move(message, choice);
  for (int moves = 1; moves < max_chain; ++moves) {
    const std::uint32_t other = driven_away_by(message);
    if (other == no_id) return true;
    // The message that came stays where it is: the other one sees what it left.
    move(other, least_loaded_choice(other, random));
    message = other;
  }
  return false;
}

void ConflictSearch::return_to_best() { go_to(best_); }

void ConflictSearch::go_to(std::span<const std::uint32_t> choices) {
  for (const std::uint32_t message : movable_) {
    if (choice_[message] != choices[message]) move(message, choices[message]);
  }
  trail_.clear();
  refresh_times();
  keep_if_best();
}

void ConflictSearch::keep_if_best() {
  if (hot_links_ > best_hot_links_) return;
  if (hot_links_ == best_hot_links_ && value_now() <= best_value_ + least_gain) return;
  best_hot_links_ = hot_links_;
  best_value_ = value_now();
  best_ = choice_;
}

void ConflictSearch::anneal_alternately(int run, std::uint64_t moves, Random& random) {
  const bool far = run % 2 == 0;
  if (!far) return_to_best();
  const double price = shared_prices[static_cast<std::size_t>(run / 2) % std::size(shared_prices)];
  anneal({moves, far ? far_temperature : near_temperature, end_temperature, price}, random);
}

void ConflictSearch::anneal(const Annealing& run, Random& random) {
  if (movable_.empty()) return;
  shared_price_ = run.shared_price;
  double now = cost();
  for (std::uint64_t i = 0; i < run.moves && !is_isolated() && !control_.stopped(); ++i) {
    const double done = static_cast<double>(i) / static_cast<double>(run.moves);
    const double cooling = std::pow(run.last_temperature / run.first_temperature, done);
    const double temperature = conflict_cost_ * run.first_temperature * cooling;
    const std::uint32_t message = movable_[random.below(movable_.size())];
    const std::uint32_t choices = messages_.choice_count(message);
    const auto further = static_cast<std::uint32_t>(1 + random.below(choices - 1));
    trail_.clear();
    const std::uint64_t hot_before = hot_links_;
    const bool clean = move_in_chain(message, (choice_[message] + further) % choices, random);
    refresh_times();
    const double then = cost();
    const bool worse = then > now && std::exp((now - then) / temperature) < random.fraction();
    if ((!clean && hot_links_ > hot_before) || worse) {
      undo();
      refresh_times();
      continue;
    }
    now = then;
    keep_if_best();
  }
}

}  // namespace ayatori
