#include "ayatori/simulated/peers.hpp"

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ayatori/simulated/network.hpp"

namespace ayatori::simulated {

namespace {

using namespace transport;

constexpr PeerId centre = 0;

/// What one side of a pair says to the other. No two greetings are the same.
struct Greeting {
  PeerId from = 0;
  PeerId to = 0;
};

Options lean(std::uint32_t contexts) {
  Options options;
  options.incoming_contexts = contexts;
  options.outgoing_contexts = contexts;
  options.messages = contexts;
  options.assemblies = contexts;
  options.replies = 1;
  options.close_after = std::chrono::microseconds(200);
  return options;
}

Options leaner() {
  Options options = lean(1);
  options.epoch_cells = 1;
  return options;
}

/// Says one greeting and expects one.
class Greeter : public Application {
 public:
  std::byte* reserve(PeerId, Bytes, Urgency) override {
    return nullptr;
  }  // greetings fit one datagram and need no order
  void release(std::byte*) override {}
};

class Peer final : public Greeter {
 public:
  Peer(PeerId self, Epoch floor)
      : greeting_{self, centre},
        endpoint_(*Endpoint::make({.self = self, .key = 1, .seed = self, .floor = floor}, leaner(), *this)) {}

  void greet(Time now) { greeted_ = endpoint_.send(now, centre, std::as_bytes(std::span(&greeting_, 1)), 0); }
  void deliver(PeerId, std::span<const std::byte> message, std::byte*) override {
    const Greeting expected{centre, greeting_.from};
    right += message.size() == sizeof expected && std::memcmp(message.data(), &expected, sizeof expected) == 0;
    ++heard;
  }
  void acknowledged(Token) override { said = true; }

  /// Whether it has nothing more to say, nor anything to hear.
  [[nodiscard]] bool finished() const { return (said || !greeted_) && (heard > 0 || !greeted_); }

  Endpoint& endpoint() { return endpoint_; }
  std::uint32_t heard = 0;
  std::uint32_t right = 0;
  bool said = false;

 private:
  Greeting greeting_;
  bool greeted_ = false;
  Endpoint endpoint_;
};

class Centre final : public Greeter {
 public:
  Centre(const ManyPeers& peers, Network& network)
      : network_(network),
        heard_(peers.count + 1),
        endpoint_(*Endpoint::make({.self = centre, .key = 1, .seed = 7}, lean(peers.contexts), *this)) {
    network_.attach(centre, endpoint_);
  }

  /// Greets peers until one must wait for room.
  void greet_up_to(PeerId last) {
    for (; next_ <= last; ++next_) {
      auto greeting = std::make_unique<Greeting>(centre, next_);
      if (!endpoint_.send(network_.now(), next_, std::as_bytes(std::span(greeting.get(), 1)), next_)) break;
      said_[next_] = std::move(greeting);
    }
    network_.wake(centre);
  }

  void deliver(PeerId from, std::span<const std::byte> message, std::byte*) override {
    const Greeting expected{from, centre};
    const bool right =
        message.size() == sizeof expected && std::memcmp(message.data(), &expected, sizeof expected) == 0;
    if (!right || heard_[from]) ++wrong;
    heard_[from] = true;
    ++heard;
  }
  void acknowledged(Token token) override { said_.erase(static_cast<PeerId>(token)); }

  std::uint64_t heard = 0;
  std::uint64_t wrong = 0;

 private:
  Network& network_;
  std::vector<bool> heard_;
  std::unordered_map<PeerId, std::unique_ptr<Greeting>> said_;
  PeerId next_ = 1;
  Endpoint endpoint_;
};

/// The peers that are awake, and the floors of those that are not.
class AwakePeers {
 public:
  AwakePeers(Network& network, std::uint32_t count) : network_(network), floors_(count + 1) {}

  void wake(PeerId peer, bool greets) {
    auto& woken = awake_[peer];
    woken = std::make_unique<Peer>(peer, floors_[peer]);
    if (greets) woken->greet(network_.now());
    network_.attach(peer, woken->endpoint());
  }

  /// Hibernates the peers that have nothing left to do.
  void rest() {
    for (auto at = awake_.begin(); at != awake_.end();) {
      Peer& peer = *at->second;
      if (!peer.endpoint().fully_closed()) {
        if (peer.finished()) {
          peer.endpoint().close_idle(network_.now());
          network_.wake(at->first);
        }
        ++at;
        continue;
      }
      result.to_peers += peer.right;
      result.wrong += peer.heard - peer.right;
      result.renewals += peer.endpoint().statistics().renewals;
      floors_[at->first] = peer.endpoint().retire(network_.now());
      network_.detach(at->first);
      at = awake_.erase(at);
    }
  }

  [[nodiscard]] std::size_t awake() const { return awake_.size(); }
  ManyPeersResult result;

 private:
  Network& network_;
  std::vector<Epoch> floors_;
  std::unordered_map<PeerId, std::unique_ptr<Peer>> awake_;
};

}  // namespace

ManyPeersResult run_many_peers(const ManyPeers& peers, const Scenario& scenario) {
  Network network(scenario);
  Centre middle(peers, network);
  AwakePeers peers_awake(network, peers.count);
  network.on_unattached([&](PeerId peer) { peers_awake.wake(peer, false); });

  PeerId woken = 0;
  const Time limit = Time(std::chrono::hours(24));
  while (woken < peers.count || peers_awake.awake() > 0) {
    while (woken < peers.count && peers_awake.awake() < peers.at_once) {
      ++woken;
      if (!network.attached(woken)) peers_awake.wake(woken, true);
    }
    middle.greet_up_to(woken);
    for (int steps = 0; steps < 1000 && network.step(limit); ++steps) {
    }
    peers_awake.rest();
    if (network.now() >= limit) break;
  }
  ManyPeersResult result = peers_awake.result;
  result.from_peers = middle.heard;
  result.wrong += middle.wrong;
  result.virtual_seconds = std::chrono::duration<double>(network.now().time_since_epoch()).count();
  return result;
}

}  // namespace ayatori::simulated
