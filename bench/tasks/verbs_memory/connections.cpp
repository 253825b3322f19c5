// Memory of a machine by the number of peers that a process can reach (paper 5, figure 1), in one process:
//
//     verbs_memory_connections KIND DEVICE OTHER_DEVICE COUNT      prints one JSON line
//
// KIND is rc_srq (a connection to each peer, one shared receive queue at each end; half of what both ends take),
// handles (datagrams, an address handle for each peer) or ours (our wire, which keeps 1,024 address handles). What
// counts is what the machine has less: a software adapter's memory is the kernel's.

#include <cstdlib>
#include <fstream>
#include <string>

#include "ayatori/base/text.hpp"
#include "ayatori/verbs/verbs_wire.hpp"
#include "harness/verbs.hpp"

namespace {

using namespace ayatori;
using bench::Adapter;

std::int64_t free_bytes() {
  std::ofstream("/proc/sys/vm/stat_refresh") << 1;  // otherwise counts lag by up to a second; for root only
  std::ifstream file("/proc/meminfo");
  std::int64_t kilobytes = 0;
  for (std::string word; file >> word;) {
    if (word == "MemFree:" && file >> kilobytes) return kilobytes * 1024;
  }
  bench::give_up("/proc/meminfo has no MemFree");
}

std::int64_t taken_by(const std::function<void()>& make) {
  const std::int64_t before = free_bytes();
  make();
  return before - free_bytes();
}

ibv_srq* shared_queue(const Adapter& adapter) {
  ibv_srq_init_attr wanted{.srq_context = nullptr, .attr = {.max_wr = 64, .max_sge = 1, .srq_limit = 0}};
  return bench::need_object(ibv_create_srq(adapter.domain, &wanted), "shared receive queue");
}

std::int64_t connections(const std::string& device, const std::string& other, std::uint32_t count) {
  Adapter here(device, 64, 4096);
  Adapter there(other, 64, 4096);
  ibv_srq* const queue = shared_queue(here);
  ibv_srq* const other_queue = shared_queue(there);
  return taken_by([&] {
           for (std::uint32_t i = 0; i < count; ++i) {
             ibv_qp* const pair = here.queue_pair(queue);
             ibv_qp* const far = there.queue_pair(other_queue);
             bench::connect(pair, {there.gid, far->qp_num});
             bench::connect(far, {here.gid, pair->qp_num});
           }
         }) /
         2;
}

std::int64_t handles(const std::string& device, const std::string& other, std::uint32_t count) {
  Adapter here(device, 64, 4096);
  const Adapter there(other, 64, 4096);
  ibv_ah_attr to{};
  to.is_global = 1;
  to.port_num = bench::verbs_port;
  to.grh.dgid = there.gid;
  to.grh.sgid_index = bench::verbs_gid_index;
  to.grh.hop_limit = 64;
  return taken_by([&] {
    for (std::uint32_t i = 0; i < count; ++i) bench::need_object(ibv_create_ah(here.domain, &to), "address handle");
  });
}

std::int64_t ours(const std::string& device, const std::string& other, std::uint32_t count) {
  const auto there = bench::need(wires::VerbsWire::make({.key = 1, .device = other}, nullptr));
  const auto wire = bench::need(wires::VerbsWire::make(
      {.key = 2, .device = device}, [&](Rank) { return Result<wires::UdAddress>(there->address()); }));
  return taken_by([&] {
    constexpr std::array<std::byte, 8> header{};
    for (Rank rank = 0; rank < count;) {
      if (wire->send({.to = rank, .control = false, .header = header, .payload = {}})) ++rank;
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = argc == 5 ? parse_unsigned<std::uint32_t>(argv[4]) : std::nullopt;
  if (!count) bench::give_up("usage: rc_srq|handles|ours DEVICE OTHER_DEVICE COUNT");
  const std::string kind = argv[1];
  const auto measure = kind == "rc_srq"    ? &connections
                       : kind == "handles" ? &handles
                       : kind == "ours"    ? &ours
                                           : nullptr;
  if (!measure) bench::give_up(kind + " is not a kind: rc_srq, handles or ours");
  fmt::print(R"({{"kind": "{}", "peers": {}, "bytes": {}}})"
             "\n",
             kind, *count, measure(argv[2], argv[3], *count));
  return 0;
}
