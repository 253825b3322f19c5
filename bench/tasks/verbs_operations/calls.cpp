// By calls of our transport over datagrams: the target's process carries them out.

#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>

#include "ayatori/driver/driver.hpp"
#include "ayatori/verbs/verbs_wire.hpp"
#include "verbs_operations.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_operations;
using transport::PeerId;

constexpr transport::JobKey key = 0xca11;
constexpr Rank target_rank = 0;

struct Shared {
  std::array<std::array<std::byte, 64>, 2> addresses{};
  std::atomic<std::uint32_t> ready = 0;
  std::atomic<bool> done = false;
};

class Node final : public transport::Application {
 public:
  Node(Shared& shared, Rank self, const std::string& device)
      : wire_(bench::need(wires::VerbsWire::make({.key = key, .device = device},
                                                 [&shared](Rank rank) {
                                                   wires::UdAddress address;
                                                   std::memcpy(&address, shared.addresses[rank].data(), sizeof address);
                                                   return Result<wires::UdAddress>(address);
                                                 }))),
        endpoint_(made(self)),
        driver_(endpoint_, *wire_, clock_) {
    const wires::UdAddress own = wire_->address();
    std::memcpy(shared.addresses[self].data(), &own, sizeof own);
    ++shared.ready;
    while (shared.ready < 2) sched_yield();
  }

  void progress() {
    if (!driver_.progress()) sched_yield();
  }
  void start() {
    const std::uint64_t addend = 1;
    while (!endpoint_.call(driver_.now(), target_rank, std::as_bytes(std::span(&addend, 1)), 0)) progress();
    driver_.progress();
  }
  void finish() {
    for (; returned_ == 0; progress()) {
    }
    --returned_;
  }

  std::uint64_t word = 0;

 private:
  transport::Endpoint made(Rank self) {
    transport::Options options;
    options.datagram_bytes = static_cast<std::uint32_t>(wire_->datagram_bytes());
    return bench::need(transport::Endpoint::make({.self = self, .key = key, .seed = self}, options, *this));
  }

  std::byte* reserve(PeerId, Bytes, transport::Urgency) override { return nullptr; }
  void release(std::byte*) override {}
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void lost(PeerId peer, transport::Time) override { bench::give_up(fmt::format("{} is lost", peer)); }
  transport::OperationResult operate(PeerId, std::span<const std::byte> request) override {
    std::uint64_t addend = 0;
    std::memcpy(&addend, request.data(), sizeof addend);
    transport::OperationResult before{};
    before.size = sizeof word;
    std::memcpy(before.bytes.data(), &word, sizeof word);
    word += addend;
    return before;
  }
  void returned(transport::Token, std::span<const std::byte>) override { ++returned_; }

  std::unique_ptr<wires::VerbsWire> wire_;
  wires::SteadyClock clock_;
  transport::Endpoint endpoint_;
  wires::Driver driver_;
  std::uint32_t returned_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  Shared& shared = bench::shared<Shared>();
  const auto target = [&] {
    Node node(shared, target_rank, settings.target_device);
    while (!shared.done) node.progress();
    if (node.word != 2ULL * settings.count) bench::give_up("additions are missing");
  };
  const auto initiator = [&] {
    Node node(shared, 1, settings.initiator_device);
    measure("fetch and add by a call", settings, [&] { node.start(); }, [&] { node.finish(); });
    shared.done = true;
  };
  return bench::all_succeed({bench::start(target), bench::start(initiator)}) ? 0 : 2;
}
