/// The part of libayatori_paths.so that knows the plan. Everything is done when a connection is made, by the thread
/// that makes it; ports are asked for their LIDs once as long as their device is open.

#include "engine.h"

#include <dlfcn.h>
#include <endian.h>
#include <fmt/core.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ayatori/artefacts/applied_file.hpp"
#include "ayatori/hashing/flow_hash.hpp"
#include "ayatori/plan_in_use/connection_paths.hpp"
#include "ayatori/plan_in_use/plan_fit.hpp"
#include "ayatori/plan_in_use/roce_ports.hpp"
#include "rank_variables.h"

namespace ayatori {

namespace {

std::string_view setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string own_host() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

/// One line of the process in which something is wrong.
void report(std::string_view line) { fmt::print(stderr, "ayatori: {}: {}\n", own_host(), line); }

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
    report(fmt::format("{}={} is not a number from 1 to {}, and is not used", name, text, max_paths_per_pair));
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

  void close(const ibv_context* context) {
    const std::lock_guard lock(mutex_);
    std::erase_if(ports_, [&](const UsedPort& port) { return port.context == context; });
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (log_folder_.empty() || counts_.empty()) return;
    log_.host = own_host();
    log_.process = static_cast<std::uint64_t>(getpid());
    for (const auto& [path, count] : counts_) log_.connections.push_back({path, count});
    const auto written = write_applied_file(log_, fmt::format("{}/{}.{}.json", log_folder_, log_.host, log_.process));
    if (!written) report(written.error().message);
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
      if (!found) report(fmt::format("its connections keep their addresses: {}", found.error().message));
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

/// RoCE: flow labels, from which adapters and Linux make source ports.
class SourcePortsOfConnections {
 public:
  SourcePortsOfConnections(const ayatori_paths_verbs& verbs, RocePlanFile plan)
      : verbs_(verbs), ports_(std::move(plan)) {}

  void queue_pair(const ibv_qp& qp, ibv_ah_attr& address) {
    const std::lock_guard lock(mutex_);
    const auto port = take(qp.context, address);
    if (port) planned_[&qp] = *port;
  }

  void handle(const ibv_pd& pd, ibv_ah_attr& address) {
    const std::lock_guard lock(mutex_);
    take(pd.context, address);
  }

  /// Another queue pair may have been destroyed, on its way to being ready to send, at the address of this one.
  void initialise(const ibv_qp* qp) {
    const std::lock_guard lock(mutex_);
    planned_.erase(qp);
  }

  void close(const ibv_context* context) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sources_, [&](const Source& source) { return source.context == context; });
  }

  /// mlx5 adapters take the port of a running queue pair by a function of their own; without it, the label stands.
  void ready_to_send(ibv_qp* qp) {
    const std::lock_guard lock(mutex_);
    const auto found = planned_.find(qp);
    if (found == planned_.end()) return;
    static const auto set_port = mlx5_function();
    if (set_port != nullptr) set_port(qp, found->second);
    planned_.erase(found);
  }

 private:
  using SetPort = int (*)(ibv_qp*, std::uint16_t);

  struct Source {
    ibv_context* context = nullptr;
    std::uint8_t port = 0;
    std::uint8_t gid_index = 0;
    GidBytes gid = {};
  };

  static int note_mlx5(dl_phdr_info* info, std::size_t, void* path) {
    if (std::strstr(info->dlpi_name, "/libmlx5") == nullptr) return 0;
    *static_cast<std::string*>(path) = info->dlpi_name;
    return 1;
  }

  static SetPort mlx5_function() {
    constexpr const char* name = "mlx5dv_modify_qp_udp_sport";
    void* found = dlsym(RTLD_DEFAULT, name);
    std::string path;
    if (found == nullptr && dl_iterate_phdr(note_mlx5, &path) != 0) {
      void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
      if (library != nullptr) found = dlsym(library, name);
    }
    return reinterpret_cast<SetPort>(found);
  }

  const GidBytes& source_gid(ibv_context* context, const ibv_ah_attr& address) {
    for (const Source& source : sources_) {
      if (source.context == context && source.port == address.port_num && source.gid_index == address.grh.sgid_index) {
        return source.gid;
      }
    }
    Source& source = sources_.emplace_back(Source{context, address.port_num, address.grh.sgid_index, {}});
    ibv_gid gid{};
    if (verbs_.query_gid(context, address.port_num, address.grh.sgid_index, &gid) == 0) {
      std::memcpy(source.gid.data(), gid.raw, sizeof gid.raw);
    }
    return source.gid;
  }

  std::optional<std::uint16_t> take(ibv_context* context, ibv_ah_attr& address) {
    if (address.is_global == 0) return std::nullopt;
    GidBytes to;
    std::memcpy(to.data(), address.grh.dgid.raw, sizeof address.grh.dgid.raw);
    const auto port = ports_.source_port(source_gid(context, address), to);
    if (port) address.grh.flow_label = flow_label_of(*port);
    return port;
  }

  ayatori_paths_verbs verbs_;
  std::mutex mutex_;
  RocePorts ports_;
  std::vector<Source> sources_;
  std::unordered_map<const ibv_qp*, std::uint16_t> planned_;  ///< until they are ready to send
};

/// Never destroyed: threads may make connections while the process ends. nullptr: no such plan.
Paths* the_paths = nullptr;
SourcePortsOfConnections* the_source_ports = nullptr;

/// The number of this job among those of its mpirun, from 1, as Open MPI 5 names them: prterun-HOST-PROCESS@NUMBER. A
/// launcher that serves one mpirun after the other has another name. 0: of no such job.
long job_of_mpirun() {
  const char* const text = std::getenv("PMIX_NAMESPACE");
  const std::string_view name = text == nullptr ? "" : text;
  const auto at = name.rfind('@');
  if (!name.starts_with("prterun-") || at == std::string_view::npos) return 0;
  return std::strtol(name.data() + at + 1, nullptr, 10);
}

/// Spawned processes are a job of their own, of which nobody knew when the plan was made: Hydra says so, Open MPI 4
/// counts the jobs of a launcher in the number's lower half, from 1, and Open MPI 5 in their names.
bool is_spawned() {
  constexpr long jobs = 0x10000;
  return ayatori_number_in("PMI_SPAWNED") > 0 || ayatori_number_in("OMPI_MCA_ess_base_jobid") % jobs > 1 ||
         job_of_mpirun() > 1;
}

/// Ends this process if the plan must be that of its job, and is not.
void check_job(const Result<PlanFile>& plan, const std::string& path) {
  if (setting("AYATORI_PLAN_MUST_FIT").empty()) return;
  std::string reason;
  ayatori_rank self{};
  if (!plan) {
    reason = plan.error().message;
  } else if (!is_spawned() && ayatori_find_rank(&self) != 0) {
    RunningRank process{.rank = static_cast<Rank>(self.rank), .ranks = {}, .host = own_host()};
    if (self.size > 0) process.ranks = static_cast<Rank>(self.size);
    reason = why_not_of_this_job(*plan, path, process);
  }
  if (reason.empty()) return;
  report(fmt::format("the process ends, since the plan can't be used: {}", reason));
  std::_Exit(1);
}

void read_plan(const ayatori_paths_verbs& verbs) {
  const std::string path(setting("AYATORI_PLAN"));
  if (path.empty()) return;
  auto plan = read_plan_file(path);
  check_job(plan, path);
  if (!plan) return report(fmt::format("paths are left alone: {}", plan.error().message));
  auto* const paths = new Paths(verbs, std::move(*plan), path, paths_per_pair());
  if (paths->has_choice()) the_paths = paths;
}

void read_roce_plan(const ayatori_paths_verbs& verbs) {
  const std::string path(setting("AYATORI_ROCE_PLAN"));
  if (path.empty()) return;
  auto plan = read_roce_plan_file(path);
  if (!plan) return report(fmt::format("source ports are left alone: {}", plan.error().message));
  the_source_ports = new SourcePortsOfConnections(verbs, std::move(*plan));
}

}  // namespace

}  // namespace ayatori

extern "C" __attribute__((visibility("default"))) int ayatori_paths_engine_start(const ayatori_paths_verbs* verbs,
                                                                                 ayatori_paths_engine* engine) {
  using namespace ayatori;
  read_plan(*verbs);
  read_roce_plan(*verbs);
  if (the_paths == nullptr && the_source_ports == nullptr) return 0;
  engine->queue_pair = [](const ibv_qp* qp, ibv_ah_attr* address, std::uint32_t peers) {
    if (the_paths != nullptr) the_paths->queue_pair(*qp, *address, peers);
    if (the_source_ports != nullptr) the_source_ports->queue_pair(*qp, *address);
  };
  engine->handle = [](const ibv_pd* pd, ibv_ah_attr* address) {
    if (the_paths != nullptr) the_paths->handle(*pd, *address);
    if (the_source_ports != nullptr) the_source_ports->handle(*pd, *address);
  };
  if (the_source_ports != nullptr) {
    engine->initialised = [](const ibv_qp* qp) { the_source_ports->initialise(qp); };
    engine->ready_to_send = [](ibv_qp* qp) { the_source_ports->ready_to_send(qp); };
  }
  engine->closes = [](const ibv_context* context) {
    if (the_paths != nullptr) the_paths->close(context);
    if (the_source_ports != nullptr) the_source_ports->close(context);
  };
  engine->finish = [] {
    if (the_paths != nullptr) the_paths->finish();
  };
  return 1;
}
