// Our schedules, played over libacp's puts. The peer's own argument is the algorithm of all collectives of the run, as
// the list of algorithms names it; MPI starts the processes and measures.
#include <acp.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "acp_carrier.hpp"
#include "play_of_call.hpp"

namespace {

using namespace ayatori;
using bench::Call;
using bench::need;
using bench::PlayOfCall;

constexpr Bytes bytes_of_rings = Bytes{4} << 20;

/// libacp is told by the environment what MPI knows.
std::unique_ptr<AcpCarrier> open_acp(int rank, int ranks) {
  // Of the jobs that run, no other has it.
  auto key = static_cast<std::uint64_t>(getpid());
  PMPI_Bcast(&key, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  setenv("ACP_RANK", std::to_string(rank).c_str(), 1);
  setenv("ACP_PROCS", std::to_string(ranks).c_str(), 1);
  setenv("ACP_JOB_KEY", std::to_string(key).c_str(), 1);
  setenv("ACP_STARTER_BYTES", std::to_string(bytes_of_rings).c_str(), 1);
  if (acp_init(nullptr, nullptr) != 0) bench::stop(acp_error_message());
  return need(AcpCarrier::make({.begin = 0, .bytes = bytes_of_rings}));
}

/// The memory of a call, and what its plays need besides, for as long as it is measured.
class Plays {
 public:
  Plays(Call& call, const std::string& algorithm, AcpCarrier& carrier) : carrier_(carrier) {
    add(std::as_writable_bytes(call.out_memory()));
    add(std::as_writable_bytes(call.in_memory()));
    for (Rank root = 0; root < (call.has_root() ? static_cast<Rank>(call.ranks()) : 1U); ++root) {
      plays_.push_back(std::make_unique<PlayOfCall>(call, algorithm, root, carrier));
      add(plays_.back()->scratch());
    }
  }
  ~Plays() {
    for (const std::byte* memory : added_) carrier_.take_back(memory);
  }
  Plays(const Plays&) = delete;
  Plays& operator=(const Plays&) = delete;

  void run(int root) { plays_[plays_.size() > 1 ? static_cast<std::size_t>(root) : 0]->run(); }

 private:
  void add(std::span<std::byte> memory) {
    if (auto added = carrier_.add(memory); !added) bench::stop(added.error().message);
    added_.push_back(memory.data());
  }

  AcpCarrier& carrier_;
  std::vector<std::unique_ptr<PlayOfCall>> plays_;
  std::vector<const std::byte*> added_;
};

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<AcpCarrier> carrier;
  if (argc < 5) return 2;
  const std::string algorithm = argv[4];
  const int status = bench::run_program(argc, argv, [&](Call& call) {
    if (carrier == nullptr) carrier = open_acp(call.rank(), call.ranks());
    const auto plays = std::make_shared<Plays>(call, algorithm, *carrier);
    return [plays](int root) { plays->run(root); };
  });
  carrier.reset();
  return acp_finalize() == 0 ? status : 1;
}
