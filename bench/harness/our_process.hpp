#pragma once
/// \file
/// One of several processes that talk over our transport: an Endpoint on a wire of its own, every option at its
/// default.

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "ayatori/driver/driver.hpp"
#include "ayatori/shm/private_folder.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"
#include "processes.hpp"

namespace ayatori::bench {

/// To be made in a process that was made by start(), one for each rank.
class OurProcess : public transport::Application {
 public:
  /// `kind` is "udp" (over the loopback) or "shm".
  OurProcess(const std::string& kind, Rank self)
      : wire_(make_wire(kind, self)),
        endpoint_(
            need(transport::Endpoint::make({.self = self, .key = key(), .seed = self}, options_for(*wire_), *this))),
        driver_(endpoint_, *wire_, clock_) {}

  /// Does what there is to do; sleeps for at most a millisecond if there is nothing.
  void step() {
    if (!driver_.progress()) driver_.sleep(std::chrono::milliseconds(1));
  }
  /// Does what there is to do, and never sleeps.
  void spin() { driver_.progress(); }

  /// False if there is no room now; `message` stays as it is until acknowledged(token) is called.
  [[nodiscard]] bool send(Rank to, std::span<const std::byte> message, transport::Token token) {
    return endpoint_.send(driver_.now(), to, message, token);
  }
  [[nodiscard]] const transport::Statistics& statistics() const { return endpoint_.statistics(); }

 private:
  /// A message has come; its bytes are there until this returns.
  virtual void take(transport::PeerId from, std::span<const std::byte> message) = 0;

  std::byte* reserve(transport::PeerId, Bytes size, transport::Urgency) override { return new std::byte[size]; }
  void release(std::byte* memory) override { delete[] memory; }
  void deliver(transport::PeerId from, std::span<const std::byte> message, std::byte* memory) final {
    take(from, message);
    if (memory != nullptr) release(memory);
  }
  void acknowledged(transport::Token) override {}
  void lost(transport::PeerId, transport::Time) final { give_up("a peer is lost"); }

  /// What the processes of one run have in common, and those of no other run.
  static transport::JobKey key() { return static_cast<transport::JobKey>(getppid()); }

  static std::unique_ptr<transport::Wire> make_wire(const std::string& kind, Rank self) {
    if (kind == "shm") {
      return need(wires::ShmWire::make({.self = self, .key = key(), .folder = wires::folder_of_job(key())}));
    }
    if (kind != "udp") give_up("'" + kind + "' is not a wire: udp or shm");
    constexpr std::uint16_t first_port = 24'000;
    const IpAddress host(127U << 24 | (static_cast<std::uint32_t>(key()) & 0xFFFF) << 8 | 1);
    const auto address = [host](Rank rank) {
      return wires::SocketAddress{host, static_cast<std::uint16_t>(first_port + rank)};
    };
    auto socket = need(wires::open_udp_socket(std::span(&host, 1), address(self).port));
    return need(wires::UdpWire::make(
        {}, std::move(socket), {.find = [address](Rank rank) { return std::optional(address(rank)); }, .admits = {}}));
  }
  static transport::Options options_for(const transport::Wire& wire) {
    transport::Options options;
    options.datagram_bytes = static_cast<std::uint32_t>(wire.datagram_bytes());
    return options;
  }

  std::unique_ptr<transport::Wire> wire_;
  wires::SteadyClock clock_;
  transport::Endpoint endpoint_;
  wires::Driver driver_;
};

}  // namespace ayatori::bench
