#include <algorithm>
#include <optional>

#include "modes.hpp"
#include "traffic.hpp"

namespace ayatori {

namespace {

/// Each has an array over links. More threads than this find nothing to do.
constexpr std::size_t max_parts = 32;

/// Below this many messages, threads cost more than they bring.
constexpr std::size_t worth_threads = 1U << 16;

/// What most of a set of messages have, and how the constraint is loaded that decides.
struct Slowest {
  double delay = 0;
  Bytes bytes = 0;
  double seconds_a_byte = 0;  // max_l load(l) / capacity(l)
};

/// The messages of one step, and what they put on each constraint.
class Step {
 public:
  Step(const Schedule& schedule, const Resources& resources, const FlowOptions& options)
      : schedule_(schedule), resources_(resources), options_(options), loads_(resources.capacity().size()) {}

  /// Replaces everything. False if a message goes to nobody.
  bool collect(std::size_t step) {
    clear();
    for (std::uint32_t stream = 0; stream < schedule_.stream_count(); ++stream) {
      if (step >= schedule_.step_count(stream)) continue;
      for (Rank from = 0; from < schedule_.participant_count(); ++from) {
        schedule_.actions(from, stream, step, actions_);
        local_ = std::max(local_, local_seconds(schedule_, from, actions_, options_));
        for (const Transfer& send : actions_.sends) {
          if (!add({from, send.peer, bytes_of(schedule_, from, actions_, send)})) return lose(from, send.peer, stream);
        }
      }
    }
    return true;
  }

  [[nodiscard]] double seconds() {
    // What is inside machines and what is between them share nothing.
    const auto network = seconds_by_load(network_, false);
    const auto inside = seconds_by_load(inside_, true);
    return (network && inside ? std::max(*network, *inside) : seconds_by_traffic()) + local_;
  }

  /// `visit(link, bytes, most loaded?)`
  template <typename Visit>
  void for_each_link(Visit&& visit) const {
    for (const Constraint link : touched_) {
      if (link < resources_.link_count()) visit(link, loads_[link].bytes, is_most_loaded(link, network_));
    }
  }

  [[nodiscard]] std::uint64_t message_count() const { return messages_.size(); }
  [[nodiscard]] Bytes network_bytes() const { return network_bytes_; }
  [[nodiscard]] Failure failure(std::size_t step) const {
    return no_such_peer(schedule_, lost_.from, lost_.to, lost_stream_, step);
  }

 private:
  struct Load {
    std::uint32_t flows = 0;
    double least_delay = 0;
    Bytes least_bytes = 0;
    Bytes bytes = 0;
  };

  bool lose(Rank from, Rank to, std::uint32_t stream) {
    lost_ = {from, to, 0};
    lost_stream_ = stream;
    return false;
  }

  void clear() {
    for (const Constraint constraint : touched_) loads_[constraint] = {};
    touched_.clear();
    messages_.clear();
    network_ = {};
    inside_ = {};
    local_ = 0;
    network_bytes_ = 0;
  }

  bool add(const Message& message) {
    if (message.to >= schedule_.participant_count()) return false;
    messages_.push_back(message);
    resources_.find(message.from, message.to, way_);
    Slowest& slowest = way_.inside ? inside_ : network_;
    slowest.delay = std::max(slowest.delay, way_.delay);
    if (!way_.inside) network_bytes_ += message.bytes;
    if (message.bytes == 0 || way_.shared.empty()) return true;
    slowest.bytes = std::max(slowest.bytes, message.bytes);
    for (const Constraint constraint : way_.shared) put(message.bytes, constraint, slowest);
    return true;
  }

  void put(Bytes bytes, Constraint constraint, Slowest& slowest) {
    Load& load = loads_[constraint];
    if (load.flows == 0) {
      touched_.push_back(constraint);
      load.least_delay = way_.delay;
      load.least_bytes = bytes;
    }
    ++load.flows;
    load.least_delay = std::min(load.least_delay, way_.delay);
    load.least_bytes = std::min(load.least_bytes, bytes);
    load.bytes += bytes;
    slowest.seconds_a_byte = std::max(slowest.seconds_a_byte, seconds_a_byte(constraint));
  }

  [[nodiscard]] double seconds_a_byte(Constraint constraint) const {
    return loads_[constraint].flows / resources_.capacity()[constraint];
  }

  [[nodiscard]] bool is_most_loaded(Constraint constraint, const Slowest& slowest) const {
    return seconds_a_byte(constraint) == slowest.seconds_a_byte;
  }

  /// simulate.hpp's equation for what is between machines or inside them, if it holds.
  [[nodiscard]] std::optional<double> seconds_by_load(const Slowest& slowest, bool inside) const {
    if (slowest.bytes == 0) return slowest.delay;
    const bool holds = std::any_of(touched_.begin(), touched_.end(), [&](Constraint constraint) {
      const Load& load = loads_[constraint];
      return resources_.is_bus(constraint) == inside && is_most_loaded(constraint, slowest) &&
             load.least_delay == slowest.delay && load.least_bytes == slowest.bytes;
    });
    if (!holds) return std::nullopt;
    return slowest.delay + static_cast<double>(slowest.bytes) * slowest.seconds_a_byte;
  }

  [[nodiscard]] double seconds_by_traffic() {
    Traffic traffic(resources_, options_.head_of_line);
    for (const Message& message : messages_) traffic.send(message.from, message.to, message.bytes, 0);
    while (traffic.advance(over_)) {
    }
    return traffic.now();
  }

  const Schedule& schedule_;
  const Resources& resources_;
  const FlowOptions& options_;
  StepActions actions_;
  std::vector<Message> messages_;
  Way way_;
  std::vector<Load> loads_;  // by constraint
  std::vector<Constraint> touched_;
  Slowest network_;
  Slowest inside_;
  double local_ = 0;
  Bytes network_bytes_ = 0;
  Message lost_;
  std::uint32_t lost_stream_ = 0;
  std::vector<Token> over_;
};

/// Sums over some steps that follow each other.
class Totals {
 public:
  explicit Totals(const Resources& resources)
      : resources_(resources), bytes_(resources.link_count()), saturated_(resources.link_count()) {}

  void add(const Step& step, double seconds) {
    seconds_ += seconds;
    messages_ += step.message_count();
    network_bytes_ += step.network_bytes();
    step.for_each_link([&](Constraint link, Bytes bytes, bool most_loaded) {
      bytes_[link] += bytes;
      if (most_loaded) saturated_[link] += seconds;
    });
  }

  void add(const Totals& later) {
    seconds_ += later.seconds_;
    messages_ += later.messages_;
    network_bytes_ += later.network_bytes_;
    for (std::size_t link = 0; link < bytes_.size(); ++link) {
      bytes_[link] += later.bytes_[link];
      saturated_[link] += later.saturated_[link];
    }
  }

  [[nodiscard]] Prediction prediction(Rank ranks) const {
    Prediction result;
    result.seconds = seconds_;
    result.rank_seconds.assign(ranks, seconds_);
    result.messages = messages_;
    result.network_bytes = network_bytes_;
    result.hot_links = hottest_links(resources_, bytes_, saturated_, seconds_);
    return result;
  }

 private:
  const Resources& resources_;
  double seconds_ = 0;
  std::uint64_t messages_ = 0;
  Bytes network_bytes_ = 0;
  std::vector<Bytes> bytes_;
  std::vector<double> saturated_;
};

std::size_t step_count(const Schedule& schedule) {
  std::size_t steps = 0;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    steps = std::max(steps, schedule.step_count(stream));
  }
  return steps;
}

/// Steps `begin` to `end`, into `totals`; or why one cannot be taken.
std::optional<Failure> run(Step& step, std::size_t begin, std::size_t end, Totals& totals) {
  for (std::size_t s = begin; s < end; ++s) {
    if (!step.collect(s)) return step.failure(s);
    totals.add(step, step.seconds());
  }
  return std::nullopt;
}

}  // namespace

Result<Prediction> simulate_synchronous(const Schedule& schedule, const Resources& resources,
                                        const FlowOptions& options) {
  const std::size_t steps = step_count(schedule);
  const std::size_t parts = std::min(max_parts, steps);
  [[maybe_unused]] const bool many = steps * schedule.participant_count() >= worth_threads;
  // Sums of each part, added up in the order of the parts: the same on any number of threads.
  std::vector<std::optional<Totals>> totals(parts);
  std::vector<std::optional<Failure>> lost(parts);
#pragma omp parallel if (many)
  {
    Step step(schedule, resources, options);
#pragma omp for schedule(dynamic, 1)
    for (std::size_t part = 0; part < parts; ++part) {
      totals[part].emplace(resources);
      lost[part] = run(step, steps * part / parts, steps * (part + 1) / parts, *totals[part]);
    }
  }
  Totals sum(resources);
  for (std::size_t part = 0; part < parts; ++part) {
    if (lost[part]) return *lost[part];
    sum.add(*totals[part]);
  }
  return sum.prediction(schedule.call().ranks);
}

}  // namespace ayatori
