#pragma once
/// \file
/// Several peers that talk at random, on a network as bad as a seed says.

#include <algorithm>
#include <memory>
#include <vector>

#include "peer_fixtures.hpp"

namespace ayatori::simulated {

using namespace std::chrono_literals;

/// A network that loses, duplicates and reorders much.
inline Scenario hostile(std::uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.drop = 0.2;
  scenario.duplicate = 0.1;
  scenario.reorder = 0.2;
  scenario.jitter = 5us;
  scenario.reorder_delay = Duration(1000 * (1 + static_cast<std::int64_t>(seed) % 7 * 40));
  scenario.receive_buffers = 1 + static_cast<std::uint32_t>(seed) % 5 * 3;
  scenario.control_buffers = 8;
  return scenario;
}

/// Few contexts, so that the peers keep taking them from each other.
inline Options cramped(std::uint64_t seed) {
  const auto pick = static_cast<std::uint32_t>(seed);
  Options options;
  options.datagram_bytes = 256;
  options.incoming_contexts = 1 + pick % 4;
  options.outgoing_contexts = 1 + pick / 4 % 4;
  options.messages = 8 + pick % 3 * 20;
  options.replies = 1 + pick % 7;
  options.assemblies = 1 + pick % 20;
  options.epoch_cells = 1 + pick % 3;
  options.receive_buffers = 1 + pick % 5 * 3;
  options.close_after = pick % 2 == 0 ? 1s : 50us;
  options.retransmission.admission = pick % 3 != 0;
  options.retransmission.longest_timeout = 5ms;
  if (pick % 5 == 0) {
    options.retransmission.timer = Retransmission::Timer::fixed;
    options.retransmission.fixed_timeout = 30us;
  }
  return options;
}

/// Peers on one network.
struct Town {
  Town(const Scenario& scenario, const Options& options, PeerId count) : network(scenario) {
    for (PeerId peer = 0; peer < count; ++peer) peers.push_back(std::make_unique<TestPeer>(network, peer, options));
  }

  [[nodiscard]] bool all_done() const {
    return std::ranges::all_of(peers, [](const auto& peer) { return peer->done(); });
  }

  Network network;
  std::vector<std::unique_ptr<TestPeer>> peers;
};

/// What chatter() sent.
struct Sent {
  std::uint64_t messages = 0;
  std::vector<std::uint64_t> calls;  // to each peer
};

/// Random messages and calls between random peers, while the network runs.
inline Sent chatter(Town& town, std::uint64_t messages, Random& random) {
  const auto count = static_cast<PeerId>(town.peers.size());
  Sent sent{0, std::vector<std::uint64_t>(count)};
  for (std::uint64_t i = 0; i < messages; ++i) {
    const auto from = static_cast<PeerId>(random.below(count));
    const auto to = static_cast<PeerId>(random.below(count));
    if (random.below(4) == 0) {
      town.peers[from]->call_add(to);
      ++sent.calls[to];
    } else {
      const std::size_t size = random.below(5) == 0 ? random.below(3000) : random.below(100);
      town.peers[from]->send(to, size, random.below(4) == 0 ? Order::unordered : Order::ordered);
      ++sent.messages;
    }
    for (std::uint64_t steps = random.below(20); steps > 0; --steps) town.network.step(town.network.now() + 1ms);
  }
  return sent;
}

}  // namespace ayatori::simulated
