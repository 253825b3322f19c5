#pragma once
/// \file
/// Many endpoints in one process, joined by a network that loses, duplicates,
/// delays and reorders datagrams from a seed and a Scenario, in virtual time. The
/// same scenario and calls give the same run, on every machine.

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/simulated/scenario.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::simulated {

struct Counters {
  std::uint64_t sent = 0;     ///< datagrams that endpoints handed over
  std::uint64_t dropped = 0;  ///< by chance or in a black hole
  std::uint64_t duplicated = 0;
  std::uint64_t overflowed = 0;  ///< no receive buffer was free
  std::uint64_t unattached = 0;  ///< no endpoint had the address
};

/// Each endpoint is a machine whose one processor does one thing at a time. It first sends what the endpoint wants to
/// send; otherwise it handles the datagram that has waited longest, control datagrams first; otherwise it does what is
/// due. A datagram occupies its buffer until it is handled. Links lose nothing: a sender waits while its receiver's
/// link is busy. Not thread-safe.
class Network {
 public:
  explicit Network(const Scenario& scenario);

  /// The endpoint must stay until detach(). A process that stops existing is a detach().
  void attach(PeerId peer, transport::Endpoint& endpoint);
  void detach(PeerId peer);
  [[nodiscard]] bool attached(PeerId peer) const { return machines_.contains(peer); }

  /// Called for a datagram to a peer that is not attached; it may attach one. The datagram is then delivered.
  void on_unattached(std::function<void(PeerId)> handler) { on_unattached_ = std::move(handler); }

  /// To be called after an endpoint was used from outside (send, call, close_idle).
  void wake(PeerId peer);

  /// The peer's processor does something else until then, as when another program has it. What arrives waits.
  void occupy(PeerId peer, Time until);

  [[nodiscard]] Time now() const { return now_; }

  /// Lets the next thing happen; false if nothing will ever happen again, or not until `limit`.
  bool step(Time limit = transport::never);

  /// Steps until `done`, or until nothing is left or `limit` has come; says whether it was done.
  bool run_until(const std::function<bool()>& done, Time limit = transport::never);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] Scenario& scenario() { return scenario_; }  ///< may change while it runs

 private:
  using DatagramId = std::uint32_t;

  struct Event {
    Time when{};
    std::uint64_t number = 0;  // of equal times, what was scheduled first happens first
    PeerId peer = 0;
    DatagramId datagram = no_id;  // arrives; none: the machine wants to work

    bool operator>(const Event& other) const { return when != other.when ? when > other.when : number > other.number; }
  };

  struct InFabric {
    Time leaves{};
    std::size_t bytes = 0;
  };

  struct Machine {
    transport::Endpoint* endpoint = nullptr;
    std::deque<DatagramId> data;
    std::deque<DatagramId> control;
    DatagramId in_hand = no_id;  // being handled until busy_until
    std::uint32_t handled_since_advance = 0;
    Time busy_until{};
    Time uplink_free{};
    Time downlink_free{};
    std::deque<InFabric> in_fabric;  // the oldest first
    std::size_t fabric_bytes = 0;    // of in_fabric
    Time wakes_at = transport::never;
  };

  void schedule_work(PeerId peer, Machine& machine, Time when);
  void work(PeerId peer);
  [[nodiscard]] bool send_one(PeerId peer, Machine& machine);
  [[nodiscard]] bool handle_one(Machine& machine);
  void transmit(PeerId from, Machine& sender, const transport::Datagram& datagram);
  [[nodiscard]] Time enter_fabric(Machine& sender, InFabric datagram, Time sent) const;
  void launch(PeerId to, DatagramId datagram, Time when);
  void arrive(PeerId to, DatagramId datagram);
  [[nodiscard]] bool in_black_hole(PeerId peer) const;
  [[nodiscard]] DatagramId store(const transport::Datagram& datagram);
  void discard(DatagramId datagram) { free_.push_back(datagram); }

  Scenario scenario_;
  Random random_;
  Time now_{};
  std::uint64_t scheduled_ = 0;
  Counters counters_;
  std::unordered_map<PeerId, Machine> machines_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::vector<std::byte>> datagrams_;
  std::vector<DatagramId> free_;
  std::function<void(PeerId)> on_unattached_;
};

}  // namespace ayatori::simulated
