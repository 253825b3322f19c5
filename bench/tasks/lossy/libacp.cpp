// libacp over UDP, every setting at its default: each process copies into the memory of each other one, and a barrier
// ends the round.

#include "acp.h"
#include "harness/job_file.hpp"
#include "lossy.hpp"

namespace {

using namespace ayatori;
using lossy::Part;

void need(bool good, const char* what) {
  if (!good) lossy::give_up(fmt::format("{}: {}", what, acp_error_message()));
}

class AcpExecutor final : public lossy::Executor {
 public:
  explicit AcpExecutor(const Part& part) : part_(part), inboxes_(std::size_t{2} * part.procs * lossy::max_bytes) {
    setenv("ACP_RANK", std::to_string(part.self).c_str(), 1);
    setenv("ACP_PROCS", std::to_string(part.procs).c_str(), 1);
    setenv("ACP_WIRES", "udp", 1);
    need(acp_init(nullptr, nullptr) == 0, "acp_init");
    const auto source = lossy::all_contents();
    source_ = registered(const_cast<std::byte*>(source.data()), source.size());
    inbox_ = registered(inboxes_.data(), inboxes_.size());
    tell_addresses();
  }

  void execute(std::uint32_t round) override {
    for (Rank step = 1; step < part_.procs; ++step) {
      const Rank to = (part_.self + step) % part_.procs;
      const auto bytes = lossy::contents({part_.self, to, round});
      const auto from = source_ + static_cast<std::size_t>(bytes.data() - lossy::all_contents().data());
      const auto into = there_[to] + inbox_of(part_.self, round);
      need(acp_copy(into, from, bytes.size(), ACP_HANDLE_NULL) != static_cast<acp_handle_t>(ACP_HANDLE_NULL),
           "acp_copy");
    }
    complete();
    need(acp_sync() == 0, "acp_sync");
    for (Rank from = 0; from < part_.procs; ++from) {
      if (from == part_.self) continue;
      const lossy::Letter letter{from, part_.self, round};
      lossy::check(letter, std::span(inboxes_).subspan(inbox_of(from, round), lossy::contents(letter).size()));
    }
  }
  void finish() override { complete(); }
  void serve() override { usleep(1000); }  // libacp's own thread does

 private:
  /// Rounds use two inboxes alternately: a peer that is one round ahead does not write where this process still polls.
  [[nodiscard]] std::size_t inbox_of(Rank from, std::uint32_t round) const {
    return (round % 2 * part_.procs + from) * lossy::max_bytes;
  }

  static void complete() { need(acp_complete(static_cast<acp_handle_t>(ACP_HANDLE_ALL)) == 0, "acp_complete"); }

  static acp_ga_t registered(void* memory, std::size_t bytes) {
    const acp_atkey_t key = acp_register_memory(memory, bytes, 0);
    need(key != ACP_ATKEY_NULL, "acp_register_memory");
    return acp_query_ga(key, memory);
  }

  void tell_addresses() {
    auto* starter = static_cast<acp_ga_t*>(acp_query_address(acp_query_starter_ga(static_cast<int>(part_.self))));
    starter[part_.procs] = inbox_;
    const acp_ga_t own = acp_query_starter_ga(static_cast<int>(part_.self)) + part_.procs * sizeof(acp_ga_t);
    for (Rank to = 0; to < part_.procs; ++to) {
      acp_copy(acp_query_starter_ga(static_cast<int>(to)) + part_.self * sizeof(acp_ga_t), own, sizeof(acp_ga_t),
               ACP_HANDLE_NULL);
    }
    complete();
    need(acp_sync() == 0, "acp_sync");
    there_.assign(starter, starter + part_.procs);
  }

  Part part_;
  std::vector<std::byte> inboxes_;  // two for each sender
  acp_ga_t source_ = 0;
  acp_ga_t inbox_ = 0;
  std::vector<acp_ga_t> there_;  // of each process: its inboxes
};

}  // namespace

int main(int argc, char** argv) {
  const bench::JobFile job;  // of the processes that run() starts
  setenv("ACP_JOB_FILE", job.name().c_str(), 1);
  return lossy::run(argc, argv, {"libacp", [](const Part& part, lossy::SharedState&) {
                                   return std::make_unique<AcpExecutor>(part);
                                 }});
}
