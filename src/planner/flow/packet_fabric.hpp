#pragma once
/// \file
/// Messages as packets that queue in switches with finite buffers and credits, as on InfiniBand. Traffic has it instead
/// of rates where FlowOptions::packets says so; simulate.hpp has the model.
///
/// A link is one of the constraints of resources.hpp. At its end is a buffer, first in, first out. The packet at the
/// head of a buffer asks for its next link; so does each message that a NIC is sending, with one packet at a time. A
/// link that is idle, and has a credit, takes one of those that ask. What happens at one instant happens together:
/// links choose only when every packet that ends then has left its link.

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/flow/simulate.hpp"
#include "event_heap.hpp"
#include "fair_rates.hpp"

namespace ayatori {

/// Not safe for concurrent use.
class PacketFabric {
 public:
  /// `rates`: bytes a second, by link.
  PacketFabric(std::span<const double> rates, const PacketOptions& options);

  /// A message of so many bytes (at least 1) begins now, over one of these paths, which begin and end with the same
  /// links: each of its packets chooses at every switch. Its id is free again when take_arrived() has returned it.
  FlowId add(std::span<const std::vector<Constraint>> paths, Bytes bytes);

  /// Goes on from `now` to the first instant at which a message has arrived, and returns that; infinity, if none
  /// arrives until `until`.
  double advance(double now, double until);
  /// One of the messages that have arrived at that instant.
  std::optional<FlowId> take_arrived();

  /// By link, the seconds in which it was busy while packets waited for it, other than those of the same message.
  [[nodiscard]] const std::vector<double>& waited() const { return waited_; }
  /// By link, the bytes of packets that have left it.
  [[nodiscard]] const std::vector<Bytes>& carried() const { return carried_; }

  /// Links whose full buffers wait for each other, in a cycle; empty: there is none. Precondition: messages are under
  /// way, and advance() has found that none ever arrives.
  [[nodiscard]] std::vector<Constraint> cycle() const;
  [[nodiscard]] bool empty() const { return under_way_ == 0; }

 private:
  /// One that asks for a link: the number of a link whose buffer has a packet for it, or the number of links and a
  /// message's id.
  using Asker = std::uint32_t;

  /// A link of a message's paths, which are a tree. no_id: there is none.
  struct Hop {
    Constraint link = no_id;
    std::uint32_t next = no_id;   // a hop that may follow
    std::uint32_t other = no_id;  // another one that may follow in place of this one
  };
  struct Packet {
    FlowId message = 0;
    std::uint32_t hop = 0;  // of the link that it is on, or has left
    std::uint32_t next_hop = no_id;
    Constraint next = no_id;  // the link of that
    std::uint32_t bytes = 0;
  };
  struct Message {
    std::vector<Hop> hops;
    Bytes unsent = 0;
    Bytes arriving = 0;
  };
  struct Link {
    double rate = 0;
    double waited_since = 0;   // if it is busy and has others
    std::uint32_t free = 0;    // credits: room in the buffer that no packet has taken
    std::uint32_t head = 0;    // of the buffer
    std::uint32_t queued = 0;  // packets in it
    std::uint32_t coming = 0;  // packets in the buffers before the link, which have chosen it
    std::uint32_t lane = 0;    // of full packets
    bool is_busy = false;
    bool asks_again = false;  // the message that it is busy with has more packets, and is one of `asking`
    bool is_touched = false;
    Packet packet = {};  // that it is busy with
    Asker from = no_id;  // whose packet that was
    std::vector<Asker> asking = {};

    [[nodiscard]] bool has_others() const { return asking.size() > (asks_again ? 1U : 0U); }
  };
  /// Packets that take equally long: they end in the order in which they began.
  struct Lane {
    struct End {
      double time;
      Constraint link;
    };
    double seconds = 0;
    std::deque<End> ends = {};
  };

  [[nodiscard]] bool is_link(Asker asker) const { return asker < links_.size(); }
  [[nodiscard]] Packet& slot(Constraint link, std::uint32_t place) {
    return slots_[std::size_t{link} * options_.buffer + in_ring(links_[link].head + place)];
  }
  [[nodiscard]] std::uint32_t in_ring(std::uint32_t place) const {
    return place < options_.buffer ? place : place - options_.buffer;
  }
  [[nodiscard]] const Packet& front(Constraint link) const {
    return slots_[std::size_t{link} * options_.buffer + links_[link].head];
  }
  [[nodiscard]] bool cuts_through(Constraint link, Constraint next) const {
    return links_[next].rate <= links_[link].rate;
  }
  void touch(Constraint link);
  void settle();
  void use(Constraint id);
  bool take(Asker asker, Packet& packet);
  void choose_next(Packet& packet);
  static void add_path(std::span<const Constraint> path, std::vector<Hop>& hops);
  [[nodiscard]] std::uint32_t load(Constraint link) const {
    return links_[link].coming + options_.buffer - links_[link].free;
  }
  void end_packet(Constraint id);
  void queue(Constraint id);
  void ask(Asker asker, Constraint id);
  [[nodiscard]] std::uint32_t lane_of(const Link& link, std::uint32_t bytes);
  std::uint32_t new_lane(double seconds);

  PacketOptions options_;
  Random random_;
  double now_ = 0;
  std::vector<Link> links_;
  std::vector<Packet> slots_;         // of the buffers, by link
  std::vector<Constraint> touched_;   // which something has changed about, so that they may be able to take a packet
  std::vector<Constraint> choosing_;  // those before
  std::vector<Constraint> set_off_;   // which have just taken a packet that goes on at once
  std::vector<Message> messages_;
  std::vector<FlowId> free_messages_;
  std::vector<FlowId> arrived_;
  std::size_t under_way_ = 0;
  std::vector<Lane> lanes_;
  std::unordered_map<std::uint64_t, std::uint32_t> short_lanes_;  // by lane of full packets, and bytes
  EventHeap first_ends_;                                          // by lane
  std::vector<double> waited_;
  std::vector<Bytes> carried_;
};

}  // namespace ayatori
