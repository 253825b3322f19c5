#include "ayatori/simulated/incast.hpp"

#include <memory>
#include <vector>

#include "ayatori/simulated/network.hpp"

namespace ayatori::simulated {

namespace {

using namespace transport;

constexpr PeerId server_rank = 0;

class Server final : public Application {
 public:
  std::byte* reserve(PeerId, Bytes size, Urgency) override { return new std::byte[size]; }
  void deliver(PeerId, std::span<const std::byte>, std::byte* reserved) override {
    ++delivered;
    delete[] reserved;
  }
  void release(std::byte* reserved) override { delete[] reserved; }

  std::uint64_t delivered = 0;
};

class Client final : public Application {
 public:
  Client(Network& network, std::span<const std::byte> message, std::uint32_t count)
      : network_(network), message_(message), left_(count) {}

  void start(Endpoint& endpoint, std::uint32_t queued) {
    endpoint_ = &endpoint;
    for (std::uint32_t i = 0; i < queued; ++i) send_next();
  }

  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
  void acknowledged(Token) override { send_next(); }

 private:
  void send_next() {
    if (left_ > 0 && endpoint_->send(network_.now(), server_rank, message_, 0)) --left_;
  }

  Network& network_;
  std::span<const std::byte> message_;
  Endpoint* endpoint_ = nullptr;
  std::uint32_t left_;
};

IncastResult summary(const Network& network, const std::vector<Endpoint>& endpoints) {
  IncastResult result;
  for (const Endpoint& endpoint : endpoints) {
    result.data_packets += endpoint.statistics().data_packets;
    result.retransmissions += endpoint.statistics().retransmissions;
    result.asks += endpoint.statistics().asks;
  }
  result.duplicates = endpoints[server_rank].statistics().duplicates;
  result.overflowed = network.counters().overflowed;
  result.places = endpoints[server_rank].places();
  return result;
}

}  // namespace

IncastResult run_incast(const Incast& incast, const Plan& plan, const Options& options) {
  Network network(plan);
  Server server;
  const std::vector<std::byte> message(incast.bytes);
  std::vector<Client> clients(incast.clients, Client(network, message, incast.messages));
  std::vector<Endpoint> endpoints;
  endpoints.reserve(incast.clients + 1);
  for (PeerId rank = 0; rank <= incast.clients; ++rank) {
    Application& above = rank == server_rank ? static_cast<Application&>(server) : clients[rank - 1];
    auto made = Endpoint::make({.self = rank, .key = 1, .seed = plan.seed + rank}, options, above);
    if (!made) return {};
    endpoints.push_back(std::move(*made));
    network.attach(rank, endpoints.back());
  }
  for (PeerId rank = 1; rank <= incast.clients; ++rank) clients[rank - 1].start(endpoints[rank], incast.queued);

  const std::uint64_t wanted = std::uint64_t{incast.clients} * incast.messages;
  const Time limit = Time(std::chrono::hours(1));
  const auto run_to = [&](std::uint64_t count) {
    return network.run_until([&] { return server.delivered >= count; }, limit) ? network.now() : limit;
  };
  const Time warm = run_to(wanted / 10);
  const Time cooling = run_to(wanted / 10 * 9);
  const Time end = run_to(wanted);
  IncastResult result = summary(network, endpoints);
  result.complete = server.delivered == wanted;
  result.delivered = server.delivered;
  const auto rate = [](std::uint64_t count, Duration time) {
    return static_cast<double>(count) / std::chrono::duration<double>(time).count();
  };
  result.messages_per_second = rate(wanted, end - Time{});
  result.steady_messages_per_second = rate(wanted / 10 * 8, cooling - warm);
  return result;
}

}  // namespace ayatori::simulated
