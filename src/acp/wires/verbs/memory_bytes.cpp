// What a VerbsWire takes: one is made, over a port that does nothing.

#include "ayatori/base/heap.hpp"
#include "ayatori/verbs/verbs_wire.hpp"

namespace ayatori::wires {

namespace {

class IdlePort final : public UdPort {
 public:
  explicit IdlePort(std::size_t mtu) : mtu_(mtu) {}

  [[nodiscard]] UdAddress address() const override { return {}; }
  [[nodiscard]] std::size_t datagram_bytes() const override { return mtu_; }
  [[nodiscard]] Result<> use(std::span<std::byte>) override { return {}; }
  [[nodiscard]] Result<std::unique_ptr<UdPeer>> reach(const UdAddress&) override { return fail("nobody is reached"); }
  [[nodiscard]] int post_send(const UdSend&) override { return 0; }
  [[nodiscard]] int post_receive(UdQueue, std::span<std::byte>, std::uint64_t) override { return 0; }
  int recover() override { return 0; }
  [[nodiscard]] std::size_t poll_sent(std::span<UdCompletion>) override { return 0; }
  [[nodiscard]] std::size_t poll_received(std::span<UdCompletion>) override { return 0; }
  [[nodiscard]] int descriptor() const override { return -1; }
  void ask_for_event() override {}
  void take_events() override {}
  void stop() override {}

 private:
  std::size_t mtu_;
};

}  // namespace

Bytes VerbsWire::memory_bytes(const VerbsOptions& options, std::size_t mtu) {
  return heap_taken_by([&] { return make(options, nullptr, std::make_unique<IdlePort>(mtu)); });
}

}  // namespace ayatori::wires
