#pragma once
/// \file
/// Messages under way, and the time at which each has arrived: latency, then the queue of its connection, then max-min
/// fair sharing, or packets that queue (packet_fabric.hpp), event by event. Parts of a message are flows of their own;
/// it has arrived when all of them have.
///
/// Times that differ by less than `time_tolerance` of the time that has passed are the same instant: whatever
/// ends then, ends together, and rates are computed once afterwards. So equal messages that started together end
/// together although their times were rounded differently, and a symmetric schedule stays symmetric.

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "adaptive_rates.hpp"
#include "ayatori/base/ids.hpp"
#include "buckets.hpp"
#include "event_heap.hpp"
#include "fair_rates.hpp"
#include "message_queues.hpp"
#include "packet_fabric.hpp"
#include "resources.hpp"

namespace ayatori {

/// Above the rounding of a sum of many times (1e-16 each) and of rates (rate_tolerance).
inline constexpr double time_tolerance = 1e-11;

/// By this its owner recognises a message or timer when it is complete.
using Token = std::uint64_t;

/// Not safe for concurrent use.
class Traffic {
 public:
  /// `resources` must outlive it.
  Traffic(const Resources& resources, const FlowOptions& options);

  /// Seconds since the beginning.
  [[nodiscard]] double now() const { return now_; }

  [[nodiscard]] const Resources& resources() const { return resources_; }

  /// Begins a message now; it waits `seconds` longer than its route says. True if both ends are on one machine.
  bool send(Rank from, Rank to, Bytes bytes, Token token, double seconds = 0);
  /// send() for a message that keeps the gap of the NIC that it leaves, with a rendezvous if it is not eager.
  bool send_paced(Rank from, Rank to, Bytes bytes, Token token);
  /// The token is complete after `seconds`.
  void start_timer(double seconds, Token token);
  /// The token is complete when the rank's processor has done what it was asked before, and then this for `seconds` >
  /// 0. Ranks that share cores also wait for a core.
  void occupy(Rank rank, double seconds, Token token);

  /// Goes to the next instant at which a message or timer is complete, and replaces `completed` by all that are. False
  /// if nothing is under way.
  bool advance(std::vector<Token>& completed);

  /// When advance() has found nothing more. Error: packets are under way and wait for each other (names a link).
  [[nodiscard]] Result<> check_packets() const;

  /// Bytes of messages that began, by link; where packets spread by load, those that have flowed.
  [[nodiscard]] std::vector<Bytes> link_bytes() const;
  /// Seconds until now in which some flow waited for the link.
  [[nodiscard]] std::vector<double> saturated_seconds() const;

 private:
  using MessageNumber = std::uint32_t;

  /// The queue for the cores of a machine whose ranks share them.
  struct CoreQueue {
    struct Operation {
      Rank rank = 0;
      double seconds = 0;
      Token token = 0;
    };
    std::uint32_t idle_cores = 0;
    std::vector<Operation> waiting = {};  // in the order of arrival
  };

  struct SentMessage {
    Token token = 0;
    Rank from = 0;
    Rank to = 0;
    Bytes bytes = 0;
    std::uint32_t parts_left = 0;
  };
  struct Flow {
    MessageNumber message = 0;  // no_id: it never ends
    std::uint32_t part = 0;
    double left = 0;  // bytes, at `since`
    double since = 0;
    double rate = 0;  // bytes a second, from then on
    std::uint32_t from_nic = no_id;
    std::uint32_t to_nic = no_id;
  };
  struct Timer {
    double time;
    std::uint64_t order;            // of timers at one time
    Token token;                    // of a timer that belongs to no message
    MessageNumber message = no_id;  // whose part begins to flow
    std::uint32_t part = 0;
    Bytes bytes = 0;    // 0: nothing flows
    Rank rank = no_id;  // that gives its core back
    friend bool operator>(const Timer& a, const Timer& b) {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };

  void give_cores(std::uint32_t machine);
  MessageNumber number_for(const SentMessage& message);
  void send_part(MessageNumber message, std::uint32_t part, Bytes bytes, double seconds);
  void send_by_load(MessageNumber message, Bytes bytes, double seconds);
  /// Of a part whose route is `route_`: it flows after `delay`.
  void wait_and_flow(MessageNumber message, std::uint32_t part, Bytes bytes, double delay);
  [[nodiscard]] Connection connection_of(MessageNumber message, std::uint32_t part) const;
  /// Of a part whose route is `route_`, as soon as its connection is free.
  void begin_flow(Bytes bytes, MessageNumber message, std::uint32_t part);
  void begin_next_flow(const Connection& connection);
  /// Of a part whose route is `route_`, now. False if all of it has passed at once.
  bool flow(Bytes bytes, MessageNumber message, std::uint32_t part);
  [[nodiscard]] BucketSize buckets_of(MessageNumber message) const;
  void begin_background();
  [[nodiscard]] FlowId add_flow(const SentMessage& message, double bytes);
  void carry();
  /// What computes the rates: of paths that are fixed, or by load.
  template <typename Act>
  decltype(auto) with_rates(Act&& act) {
    return adaptive_ ? act(*adaptive_) : act(rates_);
  }
  void finish_part(MessageNumber message, std::vector<Token>& completed);
  void update_rates();
  double first_end(double before);
  std::optional<FlowId> take_end(double until);
  void note_saturation();
  void finish_flows(double until, std::vector<Token>& completed);
  void finish_timers(double until, std::vector<Token>& completed);

  const Resources& resources_;
  FairRates rates_;
  std::unique_ptr<AdaptiveRates> adaptive_;  // instead of `rates_`, where packets spread by load
  std::unique_ptr<PacketFabric> packets_;    // instead of rates
  double carried_until_ = 0;
  std::vector<double> carried_;              // bytes until then, by constraint
  std::vector<double> processor_free_from_;  // by participant
  std::vector<CoreQueue> core_queues_;       // by machine; empty: no ranks share cores
  std::vector<bool> has_core_;               // by participant, of those that share cores
  std::vector<double> outlet_free_from_;     // by outlet
  Buckets buckets_;
  MessageQueues queues_;
  double now_ = 0;
  std::uint64_t timers_made_ = 0;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::vector<SentMessage> messages_;
  std::vector<MessageNumber> free_messages_;
  std::vector<Flow> flows_;  // by FlowId
  EventHeap ends_;           // of flows
  Route route_;
  std::vector<Bytes> link_bytes_;
  std::vector<double> saturated_;        // seconds, up to the last change
  std::vector<double> saturated_since_;  // negative: it is not saturated
};

}  // namespace ayatori
