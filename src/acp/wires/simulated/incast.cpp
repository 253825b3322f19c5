#include "ayatori/simulated/incast.hpp"

#include <deque>
#include <vector>

#include "arrivals.hpp"
#include "ayatori/simulated/network.hpp"

namespace ayatori::simulated {

namespace {

using namespace transport;

constexpr PeerId server_rank = 0;

/// Messages of a client arrive in the order in which it had them in hand: when that was, is all that must be known.
class Client final : public Application {
 public:
  Client(Network& network, std::span<const std::byte> message, std::uint32_t count)
      : network_(network), message_(message), left_(count) {}

  void start(Endpoint& endpoint, std::uint32_t queued) {
    endpoint_ = &endpoint;
    for (std::uint32_t i = 0; i < queued; ++i) send_next();
  }

  /// The time since the oldest message that has not arrived was handed over: it has arrived now.
  Duration arrived() {
    const Time since = in_hand_.front();
    in_hand_.pop_front();
    return network_.now() - since;
  }

  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
  void acknowledged(Token) override { send_next(); }

 private:
  void send_next() {
    if (left_ == 0 || !endpoint_->send(network_.now(), server_rank, message_, 0)) return;
    --left_;
    in_hand_.push_back(network_.now());
  }

  Network& network_;
  std::span<const std::byte> message_;
  Endpoint* endpoint_ = nullptr;
  std::uint32_t left_;
  std::deque<Time> in_hand_;
};

class Server final : public Application {
 public:
  explicit Server(std::vector<Client>& clients) : arrivals(clients.size()), clients_(clients) {}

  std::byte* reserve(PeerId, Bytes size, Urgency) override { return new std::byte[size]; }
  void deliver(PeerId from, std::span<const std::byte>, std::byte* reserved) override {
    arrivals.note(from - 1, clients_[from - 1].arrived());
    delete[] reserved;
  }
  void release(std::byte* reserved) override { delete[] reserved; }

  Arrivals arrivals;

 private:
  std::vector<Client>& clients_;
};

void summarise(const Network& network, const std::vector<Endpoint>& endpoints, IncastResult& result) {
  for (const Endpoint& endpoint : endpoints) {
    result.data_packets += endpoint.statistics().data_packets;
    result.retransmissions += endpoint.statistics().retransmissions;
    result.asks += endpoint.statistics().asks;
  }
  result.duplicates = endpoints[server_rank].statistics().duplicates;
  result.overflowed = network.counters().overflowed;
  result.credit = endpoints[server_rank].total_credit();
}

}  // namespace

IncastResult run_incast(const Incast& incast, const Scenario& scenario, const Options& options,
                        const ObserverOf& observer_of) {
  Network network(scenario);
  const std::vector<std::byte> message(incast.bytes);
  std::vector<Client> clients(incast.clients, Client(network, message, incast.messages));
  Server server(clients);
  std::vector<Endpoint> endpoints;
  endpoints.reserve(incast.clients + 1);
  for (PeerId rank = 0; rank <= incast.clients; ++rank) {
    Application& above = rank == server_rank ? static_cast<Application&>(server) : clients[rank - 1];
    auto made = Endpoint::make({.self = rank, .key = 1, .seed = scenario.seed + rank}, options, above);
    if (!made) return {};
    endpoints.push_back(std::move(*made));
    if (observer_of) endpoints.back().observe(observer_of(rank));
    network.attach(rank, endpoints.back());
  }
  for (PeerId rank = 1; rank <= incast.clients; ++rank) clients[rank - 1].start(endpoints[rank], incast.queued);

  const Time limit = Time(std::chrono::hours(1));
  const Arrivals::RunUntil run_until = [&](const std::function<bool()>& done) {
    return network.run_until(done, limit) ? network.now() : limit;
  };
  IncastResult result = server.arrivals.measure(std::uint64_t{incast.clients} * incast.messages, run_until);
  summarise(network, endpoints, result);
  return result;
}

}  // namespace ayatori::simulated
