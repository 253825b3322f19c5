#pragma once
/// \file
/// Processes of a test that are connected by sockets of this machine.

#include <arpa/inet.h>

#include <memory>
#include <vector>

#include "ayatori/carriers/socket_carrier.hpp"

namespace ayatori {

inline const JobSecret the_secret = *parse_secret("000102030405060708090a0b0c0d0e0f");

/// Processes of this machine that reach each other by several of its loopback addresses.
class SocketNetwork {
 public:
  explicit SocketNetwork(Rank processes, std::size_t paths = 1, Bytes min_striped_bytes = 1000)
      : min_striped_bytes_(min_striped_bytes) {
    for (Rank self = 0; self < processes; ++self) {
      SocketOptions options{.secret = the_secret, .addresses = {}, .while_waiting = nullptr};
      for (std::uint32_t path = 0; path < paths; ++path) options.addresses.push_back(htonl(INADDR_LOOPBACK + path));
      sockets_.push_back(ProcessSockets::listen(self, std::move(options)).value());
    }
    for (Rank self = 0; self < processes; ++self) set_paths(self, paths);
  }

  void begin_execution(std::uint32_t streams) {
    ++context_;
    carriers_.clear();
    const auto all = std::make_shared<std::vector<Rank>>();
    for (Rank rank = 0; rank < sockets_.size(); ++rank) all->push_back(rank);
    for (const auto& one : sockets_) {
      carriers_.push_back(std::make_unique<SocketCarrier>(*one, all, streams));
      carriers_.back()->begin_execution(context_);
    }
  }

  [[nodiscard]] SocketCarrier& carrier(Rank participant) { return *carriers_[participant]; }
  [[nodiscard]] std::unique_ptr<ProcessSockets>& sockets(Rank process) { return sockets_[process]; }

 private:
  void set_paths(Rank self, std::size_t count) {
    std::vector<SocketPeer> peers(sockets_.size());
    for (Rank peer = 0; peer < sockets_.size(); ++peer) {
      for (std::size_t path = 0; path < count && peer != self; ++path) {
        const std::uint32_t address = htonl(INADDR_LOOPBACK + static_cast<std::uint32_t>(path));
        if (path == 0) peers[peer].by_size = {{0, {0}}, {min_striped_bytes_, {}}};
        peers[peer].paths.push_back({address, "lo", address, sockets_[peer]->port()});
        peers[peer].by_size.back().paths.push_back(static_cast<std::uint32_t>(path));
      }
    }
    sockets_[self]->set_peers(std::move(peers));
  }

  Bytes min_striped_bytes_;
  std::vector<std::unique_ptr<ProcessSockets>> sockets_;
  std::vector<std::unique_ptr<SocketCarrier>> carriers_;
  std::uint64_t context_ = 0;
};

/// A message in one piece of memory of its own.
struct Post {
  Post(Rank peer, std::uint32_t stream, std::vector<std::byte> contents)
      : bytes(std::move(contents)), piece(bytes), message{peer, stream, bytes.size(), {&piece, 1}} {}
  std::vector<std::byte> bytes;
  std::span<std::byte> piece;
  CarriedMessage message;
};

inline std::vector<std::byte> numbered(std::size_t bytes) {
  std::vector<std::byte> contents(bytes);
  for (std::size_t i = 0; i < bytes; ++i) contents[i] = static_cast<std::byte>(i * 31 + i / 256);
  return contents;
}

}  // namespace ayatori
