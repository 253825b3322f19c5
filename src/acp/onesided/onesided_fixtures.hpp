#pragma once
/// \file
/// The processes of a job in one program, joined by a simulated network.

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "ayatori/simulated/network.hpp"
#include "rdma_fixtures.hpp"

namespace ayatori::onesided {

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class Processes {
 public:
  /// Each has `words` of registered memory, zeroed, and an adapter if there is a `fabric`, which must outlive this.
  Processes(const simulated::Scenario& scenario, Rank count, std::size_t words, const Settings& settings,
            Fabric* fabric = nullptr)
      : network_(scenario), memories_(count, std::vector<std::uint64_t>(words)) {
    for (Rank rank = 0; rank < count; ++rank) {
      Settings own = settings;
      own.identity = {.self = rank, .key = 42, .seed = rank + 1};
      own.procs = count;
      if (fabric) own.rdma = &fabric->adapter(rank);
      ranks_.push_back(need(GlobalMemory::make(own)));
      keys_.push_back(need(ranks_[rank]->memory().add(bytes(rank), words * 8)));
      network_.attach(rank, ranks_[rank]->endpoint());
    }
  }

  GlobalMemory& operator[](Rank rank) { return *ranks_[rank]; }
  [[nodiscard]] Rank count() const { return static_cast<Rank>(ranks_.size()); }
  [[nodiscard]] simulated::Network& network() { return network_; }
  [[nodiscard]] Time now() const { return std::max(network_.now(), now_); }
  std::vector<std::uint64_t>& memory(Rank rank) { return memories_[rank]; }
  std::byte* bytes(Rank rank) { return reinterpret_cast<std::byte*>(memories_[rank].data()); }
  [[nodiscard]] std::uint64_t key(Rank rank) const { return keys_[rank]; }
  [[nodiscard]] GlobalAddress address(Rank rank, Bytes offset) const {
    return ranks_[rank]->space().of({rank, transport::index_of(keys_[rank]), offset});
  }

  /// Runs the network until `done()` is true; false if it is not within `seconds` of virtual time.
  bool run_until(const std::function<bool()>& done, int seconds = 100) {
    const Time limit = network_.now() + std::chrono::seconds(seconds);
    while (true) {
      go_on();
      if (done()) return true;
      go_on();  // `done` may have started something
      const Time next = std::min({limit, next_deadline(), now() + idle});
      if (network_.step(next)) continue;
      if (next == limit) return false;
      now_ = next;
    }
  }

 private:
  void go_on() {
    for (Rank rank = 0; rank < count(); ++rank) {
      if (network_.attached(rank) && ranks_[rank]->progress(now())) network_.wake(rank);
    }
  }

  /// The deadlines of the global memories; the network knows those of the endpoints.
  [[nodiscard]] Time next_deadline() const {
    Time earliest = transport::never;
    for (Rank rank = 0; rank < count(); ++rank) {
      if (network_.attached(rank)) earliest = std::min(earliest, ranks_[rank]->next_deadline());
    }
    return earliest;
  }

  /// The time that passes if nothing is under way: the next step of the test may wait for it.
  static constexpr transport::Duration idle = std::chrono::milliseconds(1);

  simulated::Network network_;
  Time now_{};
  std::vector<std::vector<std::uint64_t>> memories_;
  std::vector<std::unique_ptr<GlobalMemory>> ranks_;
  std::vector<std::uint64_t> keys_;
};

/// A network that loses, duplicates and reorders datagrams, at rates that depend on the seed.
inline simulated::Scenario bad_network(std::uint64_t seed) {
  simulated::Scenario scenario;
  scenario.seed = seed;
  scenario.drop = seed % 4 == 0 ? 0 : 0.15;
  scenario.duplicate = 0.1;
  scenario.reorder = 0.2;
  scenario.receive_buffers = 1 + static_cast<std::uint32_t>(seed) % 3 * 20;
  scenario.control_buffers = 16;
  return scenario;
}

/// Settings so small that every kind of entry runs out.
inline Settings narrow_settings(std::uint64_t seed) {
  Settings settings;
  settings.operations = 8;
  settings.delegated = 1 + static_cast<std::uint32_t>(seed) % 3;
  settings.known_regions = 1 + static_cast<std::uint32_t>(seed) % 4;
  settings.endpoint.datagram_bytes = 512;
  settings.endpoint.outgoing_contexts = settings.endpoint.incoming_contexts = 8;
  settings.endpoint.operations = 1 + static_cast<std::uint32_t>(seed) % 8;
  settings.endpoint.targets = 1 + static_cast<std::uint32_t>(seed) % 3;
  settings.endpoint.initiators = 2;
  settings.endpoint.epoch_cells = 4;
  settings.endpoint.receive_buffers = 1 + static_cast<std::uint32_t>(seed) % 3 * 20;
  return settings;
}

}  // namespace ayatori::onesided
