// Messages of our transport over UDP, every option at its default.

#include "harness/our_process.hpp"
#include "lossy.hpp"

namespace {

using namespace ayatori;
using lossy::Part;

class OurExecutor final : public lossy::MessageExecutor, bench::OurProcess {
 public:
  explicit OurExecutor(const Part& part) : MessageExecutor(part), OurProcess("udp", part.self) {}

  [[nodiscard]] lossy::Counts counts() const override {
    const transport::Statistics& all = statistics();
    return {all.data_packets, all.retransmissions, all.duplicates, all.asks};
  }

 private:
  bool send(Rank to, std::span<const std::byte> message) override {
    if (!OurProcess::send(to, message, 0)) return false;
    ++under_way_;
    return true;
  }
  void progress() override { part().spins ? spin() : step(); }
  [[nodiscard]] bool all_sent() const override { return under_way_ == 0; }

  void take(transport::PeerId from, std::span<const std::byte> message) override {
    MessageExecutor::take(from, message);
  }
  void acknowledged(transport::Token) override { --under_way_; }

  /// Messages that come in pieces go into memory that is used again, as a program's own would be.
  std::byte* reserve(transport::PeerId, Bytes size, transport::Urgency) override {
    if (size > lossy::max_bytes) return nullptr;
    if (free_.empty()) return new std::byte[lossy::max_bytes];
    std::byte* memory = free_.back();
    free_.pop_back();
    return memory;
  }
  void release(std::byte* memory) override { free_.push_back(memory); }

  std::uint64_t under_way_ = 0;
  std::vector<std::byte*> free_;
};

}  // namespace

int main(int argc, char** argv) {
  return lossy::run(
      argc, argv, {"ours", [](const Part& part, lossy::SharedState&) { return std::make_unique<OurExecutor>(part); }});
}
