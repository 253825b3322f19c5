// By libacp over verbs: by a reliable connection, for which its budget has room, and by datagrams alone.

#include <cstdlib>
#include <deque>

#include "acp.h"
#include "harness/job_file.hpp"
#include "verbs_operations.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_operations;

constexpr int target_rank = 0;
constexpr std::size_t copied_bytes = 64;  // shorter copies to a peer are calls in any case
constexpr std::uint32_t warm_up = 50;     // until the connection and the keys are there

void need(bool good, const char* what) {
  if (!good) bench::give_up(fmt::format("{}: {}", what, acp_error_message()));
}

void open(const Settings& settings, int rank, const char* connections) {
  const std::string& device = rank == target_rank ? settings.target_device : settings.initiator_device;
  setenv("ACP_RANK", std::to_string(rank).c_str(), 1);
  setenv("ACP_PROCS", "2", 1);
  setenv("ACP_WIRES", ("verbs:" + device).c_str(), 1);
  setenv("ACP_CONNECTIONS", connections, 1);
  setenv("ACP_ATOMICS", "adapter", 1);
  need(acp_init(nullptr, nullptr) == 0, "acp_init");
}

class Initiator {
 public:
  explicit Initiator(std::string way) : way_(std::move(way)) {}

  template <typename Begin>
  void measured(const char* operation, const Settings& settings, Begin begin) {
    const auto start = [&] { handles_.push_back(begin()); };
    const auto finish = [&] {
      need(acp_complete(handles_.front()) == 0, "acp_complete");
      handles_.pop_front();
    };
    for (std::uint32_t i = 0; i < warm_up; ++i) {
      start();
      finish();
    }
    measure(fmt::format("{}, libacp by {}", operation, way_).c_str(), settings, start, finish);
  }

 private:
  std::string way_;
  std::deque<acp_handle_t> handles_;
};

void initiate(const Settings& settings, const char* way) {
  const acp_ga_t here = acp_query_starter_ga(1);
  const acp_ga_t there = acp_query_starter_ga(target_rank);
  Initiator initiator(way);
  initiator.measured("fetch and add", settings, [&] { return acp_add8(here, there, 1, ACP_HANDLE_NULL); });
  initiator.measured("put of 64 bytes", settings,
                     [&] { return acp_copy(there + 64, here + 64, copied_bytes, ACP_HANDLE_NULL); });
  initiator.measured("get of 64 bytes", settings,
                     [&] { return acp_copy(here + 64, there + 64, copied_bytes, ACP_HANDLE_NULL); });
}

int both(const Settings& settings, const char* connections, const char* way) {
  const auto body = [&](int rank) {
    return [&, rank] {
      open(settings, rank, connections);
      if (rank != target_rank) initiate(settings, way);
      need(acp_sync() == 0, "acp_sync");
      const auto* const word = static_cast<const std::uint64_t*>(acp_query_address(acp_query_starter_ga(rank)));
      if (rank == target_rank && *word != warm_up + 2ULL * settings.count) bench::give_up("additions are missing");
      need(acp_finalize() == 0, "acp_finalize");
    };
  };
  return bench::all_succeed({bench::start(body(0)), bench::start(body(1))}) ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::JobFile job;  // of the processes that are started below
  setenv("ACP_JOB_FILE", job.name().c_str(), 1);
  const Settings settings = settings_of(argc, argv);
  const int connected = both(settings, "1", "a reliable connection");
  const int called = both(settings, "0", "datagrams");
  return connected != 0 ? connected : called;
}
