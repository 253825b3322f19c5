// Each process sends 1 KiB to each other one over our transport; then the memory of a process is read from
// /proc/self/smaps_rollup, in bytes. Prints one JSON line of means over the processes, with the same keys as mpi.c.
//
//     memory_ours udp|shm PROCESSES

#include <array>
#include <atomic>
#include <fstream>
#include <sstream>

#include "ayatori/base/text.hpp"
#include "harness/our_process.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;
using bench::give_up;

constexpr std::size_t bytes = 1024;
constexpr unsigned max_seconds = 120;

struct SharedState {
  std::atomic<std::uint32_t> ready = 0;
  std::atomic<std::uint32_t> finished = 0;
  std::atomic<std::uint32_t> measured = 0;
  std::atomic<std::uint64_t> own = 0, private_bytes = 0, rss = 0;
};

class Process final : public bench::OurProcess {
 public:
  Process(const std::string& kind, Rank self, Rank processes)
      : OurProcess(kind, self), self_(self), processes_(processes) {
    message_.fill(static_cast<std::byte>(self % 128));
  }

  void exchange() {
    for (Rank shift = 1; shift < processes_; ++shift) {
      while (!send((self_ + shift) % processes_, message_, 0)) step();
    }
    while (delivered_ < processes_ - 1 || acknowledged_ < processes_ - 1) step();
  }

 private:
  void take(PeerId from, std::span<const std::byte> message) override {
    const auto expected = static_cast<std::byte>(from % 128);
    if (message.size() != bytes || message.front() != expected || message.back() != expected) give_up("wrong contents");
    ++delivered_;
  }
  void acknowledged(Token) override { ++acknowledged_; }

  Rank self_;
  Rank processes_;
  std::array<std::byte, bytes> message_{};
  Rank delivered_ = 0;
  Rank acknowledged_ = 0;
};

void add_memory_of_this_process(SharedState& shared) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string field;
    std::uint64_t kilobytes = 0;
    if (!(words >> field >> kilobytes)) continue;
    if (field == "Pss_Anon:" || field == "Pss_Shmem:") shared.own += kilobytes * 1024;
    if (field == "Rss:") shared.rss += kilobytes * 1024;
    if (field.starts_with("Private_")) shared.private_bytes += kilobytes * 1024;
  }
}

/// Every process stays until all have measured, since a shared page counts by its share.
void run(const std::string& kind, SharedState& shared, Rank self, Rank processes) {
  Process process(kind, self, processes);
  for (++shared.ready; shared.ready < processes;) process.step();
  process.exchange();
  for (++shared.finished; shared.finished < processes;) process.step();
  add_memory_of_this_process(shared);
  for (++shared.measured; shared.measured < processes;) process.step();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[1] : "";
  const auto processes = argc == 3 ? parse_unsigned<Rank>(argv[2]) : std::nullopt;
  if ((kind != "udp" && kind != "shm") || !processes || *processes < 1 || *processes > 250) {
    give_up("memory_ours udp|shm PROCESSES, 1 to 250");
  }
  alarm(max_seconds);
  SharedState& shared = bench::shared<SharedState>();
  std::vector<pid_t> children;
  for (Rank rank = 0; rank < *processes; ++rank) {
    children.push_back(bench::start([&] { run(kind, shared, rank, *processes); }));
  }
  if (!bench::all_succeed(children)) return 2;
  fmt::print("{{\"processes\": {}, \"own\": {}, \"private\": {}, \"rss\": {}}}\n", *processes, shared.own / *processes,
             shared.private_bytes / *processes, shared.rss / *processes);
}
