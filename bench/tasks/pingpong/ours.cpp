// Our transport over UDP on the loopback, or over shared memory.
//
//     pingpong_ours udp|shm

#include "harness/our_process.hpp"
#include "pingpong.hpp"

namespace {

using namespace ayatori;

class OurPlayer final : public bench::OurProcess {
 public:
  OurPlayer(const std::string& kind, Rank self) : OurProcess(kind, self), peer_(1 - self) {}

  void ping() {
    const std::uint64_t before = delivered_;
    send_ball();
    while (delivered_ == before) spin();
  }
  void pong(std::uint32_t count) {
    echoes_ = true;
    delivered_ = 0;
    while (delivered_ < count) spin();
    echoes_ = false;
  }
  void settle() {
    const auto start = std::chrono::steady_clock::now();
    while (bench::seconds_since(start) < 0.02) spin();
  }
  void check(bool on) { checks_ = on; }

  [[nodiscard]] std::string statistics() const {
    const transport::Statistics& counts = OurProcess::statistics();
    return fmt::format(", \"retransmissions\": {}, \"control_packets\": {}", counts.retransmissions,
                       counts.control_packets);
  }

 private:
  void send_ball() {
    if (!send(peer_, ball_, sent_)) bench::give_up("no room for one message");
    ++sent_;
  }
  void take(transport::PeerId, std::span<const std::byte> message) override {
    if (checks_ && !std::ranges::equal(ball_, message)) bench::give_up("wrong contents");
    ++delivered_;
    if (echoes_) send_ball();
  }

  Rank peer_;
  pingpong::Ball ball_ = pingpong::make_ball();
  bool echoes_ = false;
  bool checks_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 2 ? argv[1] : "";
  if (kind != "udp" && kind != "shm") bench::give_up("pingpong_ours udp|shm");
  return pingpong::run(kind == "udp" ? 3'000 : 50'000,
                       [&](Rank self) { return std::make_unique<OurPlayer>(kind, self); });
}
