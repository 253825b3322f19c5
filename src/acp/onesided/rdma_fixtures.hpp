#pragma once
/// \file
/// Simulated adapters with reliable connections, within one process. An atomic takes two calls of poll(): between them
/// its word has been read and not written, and what the processor changes there is lost, as with adapters whose atomics
/// are atomic among themselves alone.

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "ayatori/transport/rdma.hpp"

namespace ayatori::onesided {

class Adapter;

/// The adapters that reach each other.
class Fabric {
 public:
  explicit Fabric(transport::Rdma::Atomics kind = transport::Rdma::Atomics::among_themselves) : atomics(kind) {}
  Adapter& adapter(Rank rank);

  transport::Rdma::Atomics atomics;
  std::uint64_t copies = 0;  // carried out
  std::uint64_t changes = 0;
  std::set<Rank> silent;  // ranks whose adapters do not answer
  std::map<Rank, std::unique_ptr<Adapter>> adapters;
  std::uint32_t keys = 0;
};

class Adapter final : public transport::Rdma {
 public:
  Adapter(Fabric& fabric, Rank self) : fabric_(fabric), self_(self) {}

  bool make_room(std::uint32_t connections) override {
    room_ = connections;
    return true;
  }
  [[nodiscard]] Atomics atomics() const override { return fabric_.atomics; }

  std::optional<transport::RdmaKeys> add_memory(std::span<std::byte> memory) override {
    const std::uint32_t key = ++fabric_.keys;
    regions_[key] = memory;
    return transport::RdmaKeys{key, key};
  }
  void remove_memory(const transport::RdmaKeys& keys) override { regions_.erase(keys.local); }

  std::optional<transport::RdmaEnd> open(Rank peer) override {
    if (opened_.size() >= room_) throw std::logic_error("more connections than there is room for");
    opened_[peer] = {};
    return transport::RdmaEnd{.queue = self_ + 1, .first_packet = 5, .mtu = 3, .reads = 16};
  }
  bool connect(Rank peer, const transport::RdmaEnd& other) override { return other.queue == peer + 1; }
  std::optional<transport::RdmaEnd> accept(Rank peer, const transport::RdmaEnd& other) override {
    if (other.queue != peer + 1) return std::nullopt;
    accepted_.insert(peer);
    if (accepted_.size() > room_) throw std::logic_error("more connections than there is room for");
    return transport::RdmaEnd{.queue = self_ + 1, .first_packet = 6, .mtu = 3, .reads = 16};
  }
  std::vector<transport::Token> close(Rank peer) override {
    std::vector<transport::Token> tokens;
    for (const auto& request : opened_[peer]) tokens.push_back(request.token);
    opened_.erase(peer);
    return tokens;
  }
  void forget(Rank peer) override { accepted_.erase(peer); }

  void start(Rank peer, const transport::RdmaRequest& request) override { opened_.at(peer).push_back(request); }

  std::optional<transport::RdmaCompletion> poll() override {
    for (auto& [peer, requests] : opened_) {
      if (requests.empty() || fabric_.silent.contains(peer)) continue;
      const auto one = carry_out(peer, requests.front());
      if (!one) continue;
      requests.pop_front();
      return one;
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> compare_swap_here(std::byte* word, const transport::RdmaKeys& keys,
                                                 std::uint64_t expected, std::uint64_t desired) override {
    if (!holds(keys.remote, word, 8)) return std::nullopt;
    finish_atomic();
    std::uint64_t before = 0;
    std::memcpy(&before, word, 8);
    if (before == expected) std::memcpy(word, &desired, 8);
    return before;
  }

  [[nodiscard]] std::size_t connections() const { return opened_.size(); }

 private:
  using Request = transport::RdmaRequest;

  [[nodiscard]] bool holds(std::uint32_t key, const std::byte* at, std::size_t bytes) const {
    const auto region = regions_.find(key);
    if (region == regions_.end() || at < region->second.data()) return false;
    return at + bytes <= region->second.data() + region->second.size();
  }

  /// Nothing: it has only begun.
  std::optional<transport::RdmaCompletion> carry_out(Rank peer, Request& request) {
    Adapter& there = fabric_.adapter(peer);
    auto* const at = reinterpret_cast<std::byte*>(request.remote);  // NOLINT
    const bool copy = request.kind == Request::Kind::read || request.kind == Request::Kind::write;
    transport::RdmaCompletion end{.peer = peer, .token = request.token};
    const bool local = !copy || holds(request.local_key, request.local.data(), request.local.size());
    if (!local || !there.accepted_.contains(self_)) throw std::logic_error("an operation that no adapter would take");
    if (!there.holds(request.remote_key, at, copy ? request.local.size() : 8)) {
      end.outcome = transport::RdmaCompletion::Outcome::refused;
      return end;
    }
    if (copy) {
      ++fabric_.copies;
      const bool read = request.kind == Request::Kind::read;
      std::memcpy(read ? request.local.data() : at, read ? at : request.local.data(), request.local.size());
      return end;
    }
    if (there.half_done_ == &request) there.finish_atomic();
    const auto value = there.values_.extract(&request);
    if (value) {
      ++fabric_.changes;
      end.value = value.mapped();
      return end;
    }
    there.finish_atomic();
    there.half_done_ = &request;
    std::memcpy(&there.read_, at, 8);
    return std::nullopt;
  }

  void finish_atomic() {
    if (!half_done_) return;
    const Request& request = *std::exchange(half_done_, nullptr);
    const bool add = request.kind == Request::Kind::add;
    const std::uint64_t after = add ? read_ + request.operand : read_ == request.expected ? request.operand : read_;
    std::memcpy(reinterpret_cast<std::byte*>(request.remote), &after, 8);  // NOLINT
    values_[&request] = read_;
  }

  Fabric& fabric_;
  Rank self_;
  std::uint32_t room_ = 0;
  std::map<std::uint32_t, std::span<std::byte>> regions_;
  std::map<Rank, std::deque<Request>> opened_;
  std::set<Rank> accepted_;
  const Request* half_done_ = nullptr;
  std::uint64_t read_ = 0;
  std::map<const Request*, std::uint64_t> values_;  // of atomics that are done and not reported, from before
};

inline Adapter& Fabric::adapter(Rank rank) {
  auto& found = adapters[rank];
  if (!found) found = std::make_unique<Adapter>(*this, rank);
  return *found;
}

}  // namespace ayatori::onesided
