// Each process sends 1 KiB to each other over our transport; then what a process has in memory, in bytes, from
// /proc/self/smaps_rollup. One JSON line: means over the processes, as alltoall.c's.
//
//     memory_ours udp|shm PROCESSES

#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "ayatori/base/text.hpp"
#include "ayatori/driver/driver.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"
#include "processes.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;
using namespace ayatori::wires;
using bench::give_up;
using bench::need;

constexpr std::size_t bytes = 1024;
constexpr unsigned longest_seconds = 120;

struct Board {
  std::atomic<std::uint32_t> ready = 0;
  std::atomic<std::uint32_t> finished = 0;
  std::atomic<std::uint32_t> measured = 0;
  std::atomic<std::uint64_t> own = 0, private_bytes = 0, rss = 0;
};

JobKey job_key() { return static_cast<JobKey>(getppid()); }

std::unique_ptr<Wire> make_wire(const std::string& kind, Rank self, Rank processes) {
  if (kind == "shm") return need(ShmWire::make({.self = self, .key = job_key()}));
  const auto host = 127U << 24 | (static_cast<std::uint32_t>(job_key()) & 0xFFFF) << 8 | 1;
  return need(UdpWire::make({.addresses = {.first_host = host, .ranks_per_host = processes}, .self = self}));
}

class Process final : public Application {
 public:
  Process(std::unique_ptr<Wire> wire, Rank self, Rank processes)
      : wire_(std::move(wire)),
        endpoint_(need(Endpoint::make({.self = self, .key = job_key(), .seed = self}, options_for(*wire_), *this))),
        driver_(endpoint_, *wire_, clock_),
        self_(self),
        processes_(processes) {
    message_.fill(static_cast<std::byte>(self % 128));
  }

  void step() {
    if (!driver_.progress()) driver_.sleep(std::chrono::milliseconds(1));
  }
  void exchange() {
    for (Rank shift = 1; shift < processes_; ++shift) {
      while (!endpoint_.send(driver_.now(), (self_ + shift) % processes_, message_, 0)) step();
    }
    while (delivered_ < processes_ - 1 || acknowledged_ < processes_ - 1) step();
  }

 private:
  static Options options_for(const Wire& wire) {
    Options options;
    options.datagram_bytes = static_cast<std::uint32_t>(wire.datagram_bytes());
    return options;
  }
  std::byte* reserve(PeerId, Bytes size, Urgency) override { return new std::byte[size]; }
  void release(std::byte* memory) override { delete[] memory; }
  void deliver(PeerId from, std::span<const std::byte> message, std::byte* memory) override {
    const auto expected = static_cast<std::byte>(from % 128);
    if (message.size() != bytes || message.front() != expected || message.back() != expected) give_up("wrong contents");
    delete[] memory;
    ++delivered_;
  }
  void acknowledged(Token) override { ++acknowledged_; }
  void lost(PeerId, Time) override { give_up("a peer is lost"); }

  std::unique_ptr<Wire> wire_;
  SteadyClock clock_;
  Endpoint endpoint_;
  Driver driver_;
  Rank self_;
  Rank processes_;
  std::array<std::byte, bytes> message_{};
  Rank delivered_ = 0;
  Rank acknowledged_ = 0;
};

void note_memory(Board& board) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string field;
    std::uint64_t kilobytes = 0;
    if (!(words >> field >> kilobytes)) continue;
    if (field == "Pss_Anon:" || field == "Pss_Shmem:") board.own += kilobytes * 1024;
    if (field == "Rss:") board.rss += kilobytes * 1024;
    if (field.starts_with("Private_")) board.private_bytes += kilobytes * 1024;
  }
}

/// All stay until all have measured: shared pages are shared by as many as there are.
void run(const std::string& kind, Board& board, Rank self, Rank processes) {
  Process process(make_wire(kind, self, processes), self, processes);
  for (++board.ready; board.ready < processes;) process.step();
  process.exchange();
  for (++board.finished; board.finished < processes;) process.step();
  note_memory(board);
  for (++board.measured; board.measured < processes;) process.step();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[1] : "";
  const auto processes = argc == 3 ? parse_unsigned<Rank>(argv[2]) : std::nullopt;
  if ((kind != "udp" && kind != "shm") || !processes || *processes < 1 || *processes > 250) {
    give_up("memory_ours udp|shm PROCESSES, 1 to 250");
  }
  alarm(longest_seconds);
  Board& board = bench::shared<Board>();
  std::vector<pid_t> children;
  for (Rank rank = 0; rank < *processes; ++rank) {
    children.push_back(bench::start([&] { run(kind, board, rank, *processes); }));
  }
  if (!bench::all_succeed(children)) return 2;
  fmt::print("{{\"processes\": {}, \"own\": {}, \"private\": {}, \"rss\": {}}}\n", *processes, board.own / *processes,
             board.private_bytes / *processes, board.rss / *processes);
}
