/// The part of libayatori_paths.so that knows the plan. Everything is done when a connection is made, by the thread
/// that makes it; ports are asked for their LIDs once.

#include "engine.h"

#include <endian.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/artefacts/applied_file.hpp"
#include "ayatori/connections/connection_paths.hpp"

namespace ayatori {

namespace {

std::string_view setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// One line of the process in which something is wrong.
void tell(std::string_view line) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  fmt::print(stderr, "ayatori: {}: {}\n", host.data(), line);
}

/// NCCL says how many queue pairs it makes between two processes: each is to have a path of its own.
std::uint32_t paths_per_pair() {
  for (const char* const name : {"AYATORI_PATHS_PER_PAIR", "NCCL_IB_QPS_PER_CONNECTION"}) {
    const std::string_view text = setting(name);
    if (text.empty()) continue;
    std::uint32_t paths = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), paths);
    if (error == std::errc() && end == text.data() + text.size() && paths >= 1 && paths <= max_paths_per_pair) {
      return paths;
    }
    tell(fmt::format("{}={} is not a number from 1 to {}, and is not used", name, text, max_paths_per_pair));
  }
  return 1;
}

/// A port of this machine that the program uses.
struct UsedPort {
  const ibv_context* context = nullptr;
  std::uint8_t number = 0;
  Guid port_guid = 0;
  Lid base_lid = 0;
  std::optional<JobPort> job_port;          ///< nullopt: what leaves here is left as it is
  std::vector<std::uint32_t> handles_made;  ///< by JobPort of the peer; grows as they are met
};

class Paths {
 public:
  Paths(const ayatori_paths_verbs& verbs, PlanFile plan, std::string path, std::uint32_t paths_per_pair)
      : verbs_(verbs), paths_(std::move(plan), paths_per_pair), log_folder_(setting("AYATORI_PATHS_LOG")) {
    log_.paths_per_pair = paths_per_pair;
    log_.plan = std::move(path);
  }

  [[nodiscard]] bool has_choice() const { return paths_.has_choice(); }

  void queue_pair(const ibv_qp& qp, ibv_ah_attr& address, std::uint32_t peers) {
    const std::lock_guard lock(mutex_);
    UsedPort& port = used_port(qp.context, address.port_num);
    const auto peer = peer_of(port, address);
    if (peer) take(paths_.of_queue_pair(*port.job_port, *peer, qp.qp_num, peers), address);
    record(port, address, false, peer.has_value());
  }

  void handle(const ibv_pd& pd, ibv_ah_attr& address) {
    const std::lock_guard lock(mutex_);
    UsedPort& port = used_port(pd.context, address.port_num);
    const auto peer = peer_of(port, address);
    if (peer) {
      if (port.handles_made.size() <= *peer) port.handles_made.resize(*peer + std::size_t{1});
      take(paths_.of_handle(*port.job_port, *peer, port.handles_made[*peer]++), address);
    }
    record(port, address, true, peer.has_value());
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (log_folder_.empty() || counts_.empty()) return;
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    log_.host = host.data();
    log_.process = static_cast<std::uint64_t>(getpid());
    for (const auto& [path, count] : counts_) log_.connections.push_back({path, count});
    const auto written = write_applied_file(log_, fmt::format("{}/{}.{}.json", log_folder_, log_.host, log_.process));
    if (!written) tell(written.error().message);
    counts_.clear();
  }

 private:
  UsedPort& used_port(ibv_context* context, std::uint8_t number) {
    for (UsedPort& port : ports_) {
      if (port.context == context && port.number == number) return port;
    }
    UsedPort port{
        .context = context, .number = number, .port_guid = 0, .base_lid = 0, .job_port = {}, .handles_made = {}};
    ibv_port_attr attributes{};
    ibv_gid gid{};
    if (verbs_.query_port(context, number, &attributes) == 0 && attributes.link_layer != IBV_LINK_LAYER_ETHERNET) {
      if (verbs_.query_gid(context, number, 0, &gid) == 0) port.port_guid = be64toh(gid.global.interface_id);
      port.base_lid = attributes.lid;
      const auto found = paths_.find_local({port.port_guid, attributes.lid, attributes.lmc});
      if (!found) tell(fmt::format("its connections keep their addresses: {}", found.error().message));
      port.job_port = found.value_or(std::nullopt);
    }
    return ports_.emplace_back(std::move(port));
  }

  [[nodiscard]] std::optional<JobPort> peer_of(const UsedPort& port, const ibv_ah_attr& address) const {
    if (!port.job_port) return std::nullopt;
    PeerPort peer{.lid = address.dlid, .port_guid = {}};
    if (address.is_global != 0) peer.port_guid = be64toh(address.grh.dgid.global.interface_id);
    return paths_.find_peer(*port.job_port, peer);
  }

  static void take(const PlannedAddress& planned, ibv_ah_attr& address) {
    address.dlid = planned.dlid;
    address.src_path_bits = planned.source_path_bits;
  }

  void record(const UsedPort& port, const ibv_ah_attr& address, bool datagram, bool planned) {
    if (log_folder_.empty()) return;
    const auto slid = static_cast<Lid>(port.base_lid + address.src_path_bits);
    ++counts_[{datagram, port.port_guid, slid, address.dlid, planned}];
  }

  ayatori_paths_verbs verbs_;
  std::mutex mutex_;
  ConnectionPaths paths_;
  std::vector<UsedPort> ports_;  ///< a process uses few
  std::string log_folder_;       ///< empty: nothing is recorded
  AppliedFile log_;
  std::map<AppliedPath, std::uint64_t> counts_;
};

/// Never destroyed: threads may make connections while the process ends.
Paths* the_paths = nullptr;

}  // namespace

}  // namespace ayatori

extern "C" __attribute__((visibility("default"))) int ayatori_paths_engine_start(const ayatori_paths_verbs* verbs,
                                                                                 ayatori_paths_engine* engine) {
  using namespace ayatori;
  const std::string path(setting("AYATORI_PLAN"));
  auto plan = read_plan_file(path);
  if (!plan) {
    tell(fmt::format("paths are left alone: {}", plan.error().message));
    return 0;
  }
  the_paths = new Paths(*verbs, std::move(*plan), path, paths_per_pair());
  if (!the_paths->has_choice()) return 0;
  engine->queue_pair = [](const ibv_qp* qp, ibv_ah_attr* address, std::uint32_t peers) {
    the_paths->queue_pair(*qp, *address, peers);
  };
  engine->handle = [](const ibv_pd* pd, ibv_ah_attr* address) { the_paths->handle(*pd, *address); };
  engine->finish = [] { the_paths->finish(); };
  return 1;
}
