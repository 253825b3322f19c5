#include <algorithm>
#include <optional>
#include <utility>

#include "ayatori/base/parallel.hpp"
#include "modes.hpp"
#include "traffic.hpp"

namespace ayatori {

namespace {

/// The steps are cut into this many parts, each of which has an array over links.
constexpr std::size_t max_parts = 32;

/// With fewer messages, threads cost more than they save.
constexpr std::size_t min_messages_for_threads = 1U << 16;

/// The largest delay and size of a set of (parts of) messages, and the load of the constraint that limits them most.
struct Maxima {
  double delay = 0;
  Bytes bytes = 0;
  double seconds_a_byte = 0;  // max_l load(l) / capacity(l)
};

/// The messages of one step, and what they put on each constraint.
class StepLoads {
 public:
  StepLoads(const Schedule& schedule, const Resources& resources, const FlowOptions& options)
      : schedule_(schedule),
        resources_(resources),
        options_(options),
        loads_(resources.capacity().size()),
        overheads_(schedule.participant_count()),
        last_sender_(schedule.participant_count()),
        left_(resources.outlet_count()) {}

  /// Replaces everything by the messages of this step. False if one goes to a peer that does not take part.
  bool collect(std::size_t step) {
    clear();
    for (Rank from = 0; from < schedule_.participant_count(); ++from) {
      ++senders_;
      for (std::uint32_t stream = 0; stream < schedule_.stream_count(); ++stream) {
        if (step >= schedule_.step_count(stream)) continue;
        schedule_.actions(from, stream, step, actions_);
        Overheads& overheads = overheads_[from];
        overheads.local += local_seconds(schedule_, from, actions_, options_);
        longest_.local = std::max(longest_.local, overheads.local);
        for (const Transfer& send : actions_.sends) {
          if (!add({from, send.peer, bytes_of(schedule_, from, actions_, send)}))
            return remember_unknown_peer(from, send.peer, stream);
        }
      }
    }
    return true;
  }

  [[nodiscard]] double seconds() {
    // Messages within machines and messages between them share nothing that limits both.
    const auto network = seconds_by_load(network_, false);
    const auto inside = seconds_by_load(inside_, true);
    const bool by_load = network && inside && !messages_wait_for_each_other_;
    return longest_.send + longest_gaps_ + (by_load ? std::max(*network, *inside) : seconds_by_traffic()) +
           longest_.receive + longest_.local;
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
    return no_such_peer(schedule_, unknown_.from, unknown_.to, unknown_stream_, step);
  }

 private:
  struct Load {
    std::uint32_t flows = 0;
    double least_delay = 0;
    Bytes least_bytes = 0;
    Bytes bytes = 0;
  };

  /// Seconds of a participant's processor.
  struct Overheads {
    double send = 0;
    double receive = 0;
    double local = 0;
  };

  bool remember_unknown_peer(Rank from, Rank to, std::uint32_t stream) {
    unknown_ = {from, to, 0};
    unknown_stream_ = stream;
    return false;
  }

  void clear() {
    for (const Constraint constraint : touched_) loads_[constraint] = {};
    touched_.clear();
    messages_.clear();
    network_ = {};
    inside_ = {};
    overheads_.assign(overheads_.size(), {});
    longest_ = {};
    longest_gaps_ = 0;
    left_.assign(left_.size(), 0);
    network_bytes_ = 0;
    messages_wait_for_each_other_ = false;
  }

  bool add(const Message& message) {
    if (message.to >= schedule_.participant_count()) return false;
    messages_.push_back(message);
    const bool is_another = std::exchange(last_sender_[message.to], senders_) == senders_;
    messages_wait_for_each_other_ |= is_another && resources_.in_order();
    add_overheads(message);
    const std::uint32_t parts = resources_.part_count(message.from, message.to, message.bytes);
    for (std::uint32_t part = 0; part < parts; ++part) add_part(message, part, parts);
    if (!route_.within_machine) network_bytes_ += message.bytes;
    return true;
  }

  void add_part(const Message& message, std::uint32_t part, std::uint32_t parts) {
    resources_.find_route(message.from, message.to, message.bytes, part, route_);
    route_.delay += resources_.rendezvous_delay(message.from, message.to, message.bytes);
    const Bytes bytes =
        resources_.flowing(message.from, message.to, message.bytes, bytes_of_part(message.bytes, parts, part));
    Maxima& maxima = route_.within_machine ? inside_ : network_;
    maxima.delay = std::max(maxima.delay, route_.delay);
    if (bytes == 0 || route_.shared.empty()) return;
    maxima.bytes = std::max(maxima.bytes, bytes);
    for (const Constraint constraint : route_.shared) put(bytes, constraint, maxima);
  }

  void add_overheads(const Message& message) {
    const auto [from, to, bytes] = message;
    double& send = overheads_[from].send;
    double& receive = overheads_[to].receive;
    send += resources_.send_seconds(from, to, bytes);
    receive += resources_.receive_seconds(from, to, bytes);
    longest_.send = std::max(longest_.send, send);
    longest_.receive = std::max(longest_.receive, receive);
    const double gap = resources_.gap(from, to, bytes);
    if (gap > 0) longest_gaps_ = std::max(longest_gaps_, gap * left_[resources_.outlet(from, to)]++);
  }

  void put(Bytes bytes, Constraint constraint, Maxima& maxima) {
    Load& load = loads_[constraint];
    if (load.flows == 0) {
      touched_.push_back(constraint);
      load.least_delay = route_.delay;
      load.least_bytes = bytes;
    }
    ++load.flows;
    load.least_delay = std::min(load.least_delay, route_.delay);
    load.least_bytes = std::min(load.least_bytes, bytes);
    load.bytes += bytes;
    maxima.seconds_a_byte = std::max(maxima.seconds_a_byte, seconds_a_byte(constraint));
  }

  [[nodiscard]] double seconds_a_byte(Constraint constraint) const {
    return loads_[constraint].flows / resources_.capacity()[constraint];
  }

  [[nodiscard]] bool is_most_loaded(Constraint constraint, const Maxima& maxima) const {
    return seconds_a_byte(constraint) == maxima.seconds_a_byte;
  }

  /// Seconds by simulate.hpp's equation for messages between (or inside) machines; nothing where it does not apply.
  [[nodiscard]] std::optional<double> seconds_by_load(const Maxima& maxima, bool inside) const {
    if (maxima.bytes == 0) return maxima.delay;
    const bool holds = std::any_of(touched_.begin(), touched_.end(), [&](Constraint constraint) {
      const Load& load = loads_[constraint];
      return resources_.is_bus(constraint) == inside && is_most_loaded(constraint, maxima) &&
             load.least_delay == maxima.delay && load.least_bytes == maxima.bytes;
    });
    if (!holds) return std::nullopt;
    return maxima.delay + static_cast<double>(maxima.bytes) * maxima.seconds_a_byte;
  }

  [[nodiscard]] double seconds_by_traffic() {
    Traffic traffic(resources_, options_);
    for (const auto& [from, to, bytes] : messages_) {
      traffic.send(from, to, bytes, 0, resources_.rendezvous_delay(from, to, bytes));
    }
    while (traffic.advance(completed_)) {
    }
    return traffic.now();
  }

  const Schedule& schedule_;
  const Resources& resources_;
  const FlowOptions& options_;
  StepActions actions_;
  std::vector<Message> messages_;
  Route route_;
  std::vector<Load> loads_;  // by constraint
  std::vector<Constraint> touched_;
  Maxima network_;
  Maxima inside_;
  std::vector<Overheads> overheads_;  // by participant
  Overheads longest_;
  std::vector<std::uint32_t> left_;  // messages that have left each outlet
  double longest_gaps_ = 0;
  Bytes network_bytes_ = 0;
  std::uint64_t senders_ = 0;                  // of all steps so far; the present one's number
  std::vector<std::uint64_t> last_sender_;     // by participant: the number of the last one that sent it something
  bool messages_wait_for_each_other_ = false;  // some have the same connection
  Message unknown_;                            // to a peer that does not take part
  std::uint32_t unknown_stream_ = 0;
  std::vector<Token> completed_;
};

/// Sums over some consecutive steps.
class Totals {
 public:
  explicit Totals(const Resources& resources)
      : resources_(resources), bytes_(resources.link_count()), saturated_(resources.link_count()) {}

  void add(const StepLoads& step, double seconds) {
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

/// Adds steps `begin` … `end` − 1 to `totals`. Returns why a step cannot be simulated, if one cannot.
std::optional<Failure> run(StepLoads& step, std::size_t begin, std::size_t end, Totals& totals) {
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
  const bool worth_threads = steps * schedule.participant_count() >= min_messages_for_threads;
  // Sums of each part, added up in the order of the parts: the same on any number of threads.
  std::vector<std::optional<Totals>> totals(parts);
  std::vector<std::optional<Failure>> failures(parts);
  parallel_for({.count = parts, .worth_threads = worth_threads}, [&](Iterations& iterations) {
    StepLoads step(schedule, resources, options);
    for (const std::size_t part : iterations) {
      totals[part].emplace(resources);
      failures[part] = run(step, steps * part / parts, steps * (part + 1) / parts, *totals[part]);
    }
  });
  Totals sum(resources);
  for (std::size_t part = 0; part < parts; ++part) {
    if (failures[part]) return *failures[part];
    sum.add(*totals[part]);
  }
  return sum.prediction(schedule.call().ranks);
}

}  // namespace ayatori
