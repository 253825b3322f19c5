/// An all-to-all whose packets queue in switches with finite buffers and credits, as on InfiniBand. The flow simulator
/// has rates instead of packets: it cannot show what switches lose when packets of several inputs meet.
///
///     packet_fabric < INPUT
///
/// Model. All links have one rate and all packets one size, so a packet takes one slot of time per link. At the end of
/// each link is a buffer, first in, first out, of so many packets: a link sends only while the buffer at its end has
/// room (credits). The packet at the head of a buffer asks for its next link; a free link chooses among those that ask.
/// A buffer feeds one link at a time. A host's NIC chooses among its messages packet by packet, as adapters choose
/// among queue pairs. Choices are random, from a seed. Hosts take packets as they arrive. Messages inside a host take
/// no time.
///
/// A rank does its steps in their order. In a step it sends one message and receives one, and ends it when both have
/// arrived. A message begins when both of its ranks have come to it (rendezvous).
///
/// INPUT, numbers between white space:
///     ranks links buffer seed packets              buffer: packets in it; packets: of each message
///     by pair of ranks, row by row: number of links on the path, links; 0 inside a host
///     by rank: number of steps, and for each whom it sends to and receives from
///
/// Prints how many slots pass until the last rank ends.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

namespace {

using Id = std::uint32_t;
constexpr Id none = ~Id{0};

struct Step {
  Id to;
  Id from;
};

struct Input {
  Id ranks = 0;
  Id links = 0;
  Id buffer = 0;
  Id seed = 0;
  Id packets = 0;
  std::vector<std::vector<Id>> paths;    ///< by sender · ranks + receiver
  std::vector<std::vector<Step>> steps;  ///< by rank

  [[nodiscard]] const std::vector<Id>& path(Id from, Id to) const { return paths[std::size_t{from} * ranks + to]; }
};

Input read(std::istream& in) {
  Input input;
  in >> input.ranks >> input.links >> input.buffer >> input.seed >> input.packets;
  input.paths.resize(std::size_t{input.ranks} * input.ranks);
  for (auto& path : input.paths) {
    std::size_t count = 0;
    in >> count;
    path.resize(count);
    for (Id& link : path) in >> link;
  }
  input.steps.resize(input.ranks);
  for (auto& steps : input.steps) {
    std::size_t count = 0;
    in >> count;
    steps.resize(count);
    for (Step& step : steps) in >> step.to >> step.from;
  }
  return input;
}

/// A message on its way.
struct Message {
  Id sender;
  Id receiver;
  const std::vector<Id>* path;
  Id unsent;
  Id arriving;
};

struct Packet {
  Id message;
  Id hop;  ///< which link of its path it takes next
};

struct Link {
  std::deque<Packet> buffer;  ///< at its end
  Id free = 0;                ///< room in it that no packet has taken
  bool is_busy = false;
  std::vector<Id> asking;  ///< links whose buffers have a packet for it at their heads, or messages of its host
};

class Fabric {
 public:
  explicit Fabric(Input input)
      : input_(std::move(input)),
        links_(input_.links),
        ranks_(input_.ranks),
        is_first_(input_.links),
        random_(input_.seed) {
    for (Link& link : links_) link.free = input_.buffer;
    for (const auto& path : input_.paths) {
      if (!path.empty()) is_first_[path.front()] = true;
    }
  }

  std::uint64_t run() {
    for (Id rank = 0; rank < input_.ranks; ++rank) {
      const Step* const step = step_of(rank);
      ranks_[rank].is_done = step == nullptr;
      if (step != nullptr) begin_if_both_are_there(rank, step->to);
    }
    while (!flights_.empty()) {
      const Flight flight = flights_.front();
      flights_.pop_front();
      now_ = flight.ends;
      end_flight(flight);
    }
    for (const Rank& rank : ranks_) {
      if (!rank.is_done) return 0;
    }
    return now_;
  }

 private:
  enum class Transfer : std::uint8_t { waits, runs, ended };
  struct Rank {
    std::size_t step = 0;
    Transfer sends = Transfer::waits;
    Transfer receives = Transfer::waits;
    bool is_done = false;
  };
  /// A packet on a link. All take one slot, so they end in the order in which they began.
  struct Flight {
    std::uint64_t ends;
    Id link;
    Id from;  ///< the link whose buffer it leaves; none: its host
    Packet packet;
  };

  [[nodiscard]] const Step* step_of(Id rank) const {
    const auto& steps = input_.steps[rank];
    return ranks_[rank].step < steps.size() ? &steps[ranks_[rank].step] : nullptr;
  }

  void come_to_step(Id rank) {
    const Step* const step = step_of(rank);
    ranks_[rank].is_done = step == nullptr;
    if (step == nullptr) return;
    const std::size_t number = ranks_[rank].step;
    ranks_[rank].sends = ranks_[rank].receives = Transfer::waits;
    begin_if_both_are_there(rank, step->to);
    // A message inside the host may have ended this step.
    if (ranks_[rank].step == number) begin_if_both_are_there(step->from, rank);
  }

  void begin_if_both_are_there(Id sender, Id receiver) {
    const Step* const theirs = step_of(sender);
    const Step* const ours = step_of(receiver);
    if (theirs == nullptr || ours == nullptr || theirs->to != receiver || ours->from != sender) return;
    if (ranks_[sender].sends != Transfer::waits || ranks_[receiver].receives != Transfer::waits) return;
    ranks_[sender].sends = ranks_[receiver].receives = Transfer::runs;
    begin(sender, receiver);
  }

  void begin(Id sender, Id receiver) {
    const auto& path = input_.path(sender, receiver);
    if (path.empty()) return arrive(sender, receiver);
    messages_.push_back({sender, receiver, &path, input_.packets, input_.packets});
    links_[path.front()].asking.push_back(static_cast<Id>(messages_.size() - 1));
    use(path.front());
  }

  void arrive(Id sender, Id receiver) {
    ranks_[sender].sends = Transfer::ended;
    ranks_[receiver].receives = Transfer::ended;
    for (const Id rank : {sender, receiver}) {
      if (ranks_[rank].sends != Transfer::ended || ranks_[rank].receives != Transfer::ended) continue;
      ++ranks_[rank].step;
      come_to_step(rank);
      if (sender == receiver) break;
    }
  }

  /// Sends a packet over a link, if it is free and a packet asks for it.
  void use(Id id) {
    Link& link = links_[id];
    if (link.is_busy || link.free == 0 || link.asking.empty()) return;
    const std::size_t chosen = random_() % link.asking.size();
    const Id who = link.asking[chosen];
    bool asks_again = false;
    Flight flight{now_ + 1, id, none, {}};
    if (is_first_[id]) {
      flight.packet = {who, 0};
      asks_again = --messages_[who].unsent > 0;
    } else {
      flight.packet = links_[who].buffer.front();
      flight.from = who;
    }
    if (!asks_again) {
      link.asking[chosen] = link.asking.back();
      link.asking.pop_back();
    }
    link.is_busy = true;
    --link.free;
    flights_.push_back(flight);
  }

  void end_flight(const Flight& flight) {
    Link& link = links_[flight.link];
    link.is_busy = false;
    if (flight.from != none) {
      links_[flight.from].buffer.pop_front();
      ++links_[flight.from].free;
      ask(flight.from);
      use(flight.from);
    }
    Message& message = messages_[flight.packet.message];
    const Id next = flight.packet.hop + 1;
    if (next < message.path->size()) {
      link.buffer.push_back({flight.packet.message, next});
      if (link.buffer.size() == 1) ask(flight.link);
    } else {
      ++link.free;
      if (--message.arriving == 0) arrive(message.sender, message.receiver);
    }
    use(flight.link);
  }

  /// The packet at the head of a link's buffer asks for its next link.
  void ask(Id id) {
    if (links_[id].buffer.empty()) return;
    const Packet head = links_[id].buffer.front();
    const Id next = (*messages_[head.message].path)[head.hop];
    links_[next].asking.push_back(id);
    use(next);
  }

  Input input_;
  std::vector<Link> links_;
  std::vector<Rank> ranks_;
  std::vector<bool> is_first_;  ///< by link: a NIC sends over it
  std::mt19937 random_;
  std::deque<Message> messages_;
  std::deque<Flight> flights_;
  std::uint64_t now_ = 0;
};

}  // namespace

int main() {
  Input input = read(std::cin);
  if (!std::cin || input.ranks == 0 || input.buffer == 0) {
    std::fputs("packet_fabric: the input is not whole\n", stderr);
    return 2;
  }
  const std::uint64_t slots = Fabric(std::move(input)).run();
  if (slots == 0) {
    std::fputs("packet_fabric: ranks wait for each other\n", stderr);
    return 1;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(slots));
  return 0;
}
