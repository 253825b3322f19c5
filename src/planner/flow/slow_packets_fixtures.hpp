#pragma once
/// \file
/// Packets that queue, without events: in each slot of time every link is looked at, again and again, until none can
/// take a packet any more. Links of one rate, whole packets. Header only; tests include it.

#include <cstdint>
#include <deque>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori::test {

/// Messages that all begin at once.
class SlowPackets {
 public:
  struct Message {
    std::vector<std::uint32_t> path;
    std::uint64_t packets = 0;
  };

  SlowPackets(std::size_t links, std::vector<Message> messages, std::size_t buffer, std::uint64_t seed)
      : messages_(std::move(messages)), buffer_(buffer), random_(seed), queues_(links), on_link_(links) {}

  /// By message, the slots until it has arrived; of those that never do, 0.
  std::vector<std::uint64_t> run() {
    std::vector<std::uint64_t> arrived(messages_.size(), 0);
    std::vector<std::uint64_t> left;
    for (const Message& message : messages_) left.push_back(message.packets);
    for (std::uint64_t slot = 1; begin_slot(); ++slot) {
      for (Taken& taken : on_link_) {
        if (!taken.is_there) continue;
        taken.is_there = false;
        if (taken.from_queue) queues_[taken.from].pop_front();
        if (taken.packet.hop + 1 < messages_[taken.packet.message].path.size()) continue;
        if (--left[taken.packet.message] == 0) arrived[taken.packet.message] = slot;
      }
    }
    return arrived;
  }

 private:
  struct Packet {
    std::uint32_t message = 0;
    std::uint32_t hop = 0;  // of the link that it is on, or has left
  };
  struct Taken {
    bool is_there = false;
    bool from_queue = false;
    std::uint32_t from = 0;  // queue, or message
    Packet packet;
  };

  /// Lets links take packets until none can: all at once, of the packets that are there then. False if none did.
  bool begin_slot() {
    for (bool any = false;; any = true) {
      std::vector<std::uint32_t> took;
      for (std::uint32_t link = 0; link < queues_.size(); ++link) {
        if (take(link)) took.push_back(link);
      }
      for (const std::uint32_t link : took) {
        const Packet& packet = on_link_[link].packet;
        if (packet.hop + 1 < messages_[packet.message].path.size()) queues_[link].push_back(packet);
      }
      if (took.empty()) return any;
    }
  }

  bool take(std::uint32_t link) {
    if (on_link_[link].is_there || queues_[link].size() == buffer_) return false;
    std::vector<Taken> asking;
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      if (messages_[m].packets > 0 && messages_[m].path[0] == link) asking.push_back({true, false, m, {m, 0}});
    }
    for (std::uint32_t q = 0; q < queues_.size(); ++q) {
      if (queues_[q].empty()) continue;
      const Packet head = queues_[q].front();
      // The packet at the head may have gone on, and stays until all of it has.
      if (messages_[head.message].path[head.hop + 1] != link || goes_on(q)) continue;
      asking.push_back({true, true, q, {head.message, head.hop + 1}});
    }
    if (asking.empty()) return false;
    on_link_[link] = asking[random_.below(asking.size())];
    if (!on_link_[link].from_queue) --messages_[on_link_[link].from].packets;
    return true;
  }

  [[nodiscard]] bool goes_on(std::uint32_t queue) const {
    for (const Taken& taken : on_link_) {
      if (taken.is_there && taken.from_queue && taken.from == queue) return true;
    }
    return false;
  }

  std::vector<Message> messages_;  // their packets that are not sent yet
  std::size_t buffer_;
  Random random_;
  std::vector<std::deque<Packet>> queues_;  // at the end of each link
  std::vector<Taken> on_link_;
};

}  // namespace ayatori::test
