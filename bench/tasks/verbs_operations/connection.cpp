// By a reliable connection: the adapter of the target carries them out, and no process.

#include <array>
#include <cstring>

#include "harness/verbs.hpp"
#include "verbs_operations.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_operations;

constexpr std::uint32_t word_bytes = 8;

/// Both ends of a connection, here in one process: the target's end does nothing.
struct Connection {
  explicit Connection(const Settings& settings)
      : target(settings.target_device, at_once, word_bytes),
        initiator(settings.initiator_device, at_once, std::size_t{at_once} * word_bytes),
        pair(initiator.queue_pair(nullptr, at_once)) {
    ibv_qp* const far = target.queue_pair(nullptr);
    bench::connect(far, {initiator.gid, pair->qp_num});
    bench::connect(pair, {target.gid, far->qp_num});
  }

  void start(ibv_wr_opcode opcode) {
    ibv_sge part = initiator.part(started++ % at_once, word_bytes);
    ibv_send_wr request{};
    ibv_send_wr* refused = nullptr;
    request.sg_list = &part;
    request.num_sge = 1;
    request.opcode = opcode;
    request.send_flags = IBV_SEND_SIGNALED;
    const auto address = reinterpret_cast<std::uint64_t>(target.memory.data());
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
      request.wr.atomic = {.remote_addr = address, .compare_add = 1, .swap = 1, .rkey = target.region->rkey};
    } else {
      request.wr.rdma = {.remote_addr = address, .rkey = target.region->rkey};
    }
    bench::need_success(ibv_post_send(pair, &request, &refused), "post an operation");
  }

  void finish() const {
    ibv_wc found{};
    while (ibv_poll_cq(initiator.queue, 1, &found) == 0) {
    }
    if (found.status != IBV_WC_SUCCESS) bench::give_up(ibv_wc_status_str(found.status));
  }

  [[nodiscard]] std::uint64_t word() const {
    std::uint64_t value = 0;
    std::memcpy(&value, target.memory.data(), sizeof value);
    return value;
  }

  bench::Adapter target;
  bench::Adapter initiator;
  ibv_qp* pair;
  std::uint32_t started = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  Connection connection(settings);
  const auto measured = [&](const char* name, ibv_wr_opcode opcode) {
    measure(name, settings, [&] { connection.start(opcode); }, [&] { connection.finish(); });
  };
  measured("fetch and add", IBV_WR_ATOMIC_FETCH_AND_ADD);
  if (connection.word() != 2ULL * settings.count) bench::give_up("additions are missing");
  measured("compare and swap", IBV_WR_ATOMIC_CMP_AND_SWP);
  measured("write", IBV_WR_RDMA_WRITE);
  measured("read", IBV_WR_RDMA_READ);
  return 0;
}
