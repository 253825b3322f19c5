#include "networks.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "ayatori/base/text.hpp"
#include "ayatori/network/rails.hpp"
#include "nodes.hpp"
#include "own_progress.hpp"

namespace ayatori::plugin {

namespace {

constexpr std::size_t max_interfaces = 16;
/// The description of the paths grows with the square of the machines.
constexpr std::size_t max_machines = 512;

/// Where a process can be reached, as it travels. An address of 0: it has no such interface.
struct Reachable {
  std::uint32_t addresses[max_interfaces];  // by interface of its machine
  std::uint16_t port;
};

/// What process 0 says of this machine.
struct OwnPaths {
  std::vector<std::string> interfaces;
  std::vector<std::string_view> lines;  // by machine
};

OwnPaths own_paths(std::string_view text) {
  OwnPaths found;
  LineReader lines(text);
  for (const auto name : split(lines.next().value_or(""), ' ')) found.interfaces.emplace_back(name);
  while (const auto line = lines.next()) found.lines.push_back(*line);
  return found;
}

/// The text of this process's machine.
std::string scattered(const Process& process, const std::vector<std::string>& paths) {
  std::string all;
  std::vector<int> lengths;
  std::vector<int> begins;
  for (const std::uint32_t machine : process.placement.machine) {
    if (process.rank != 0) break;
    begins.push_back(static_cast<int>(all.size()));
    all += paths[machine];
    lengths.push_back(static_cast<int>(paths[machine].size()));
  }
  int length = 0;
  PMPI_Scatter(lengths.data(), 1, MPI_INT, &length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::string own(static_cast<std::size_t>(length), ' ');
  PMPI_Scatterv(all.data(), lengths.data(), begins.data(), MPI_CHAR, own.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return own;
}

std::uint32_t address_of(const std::string& interface) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return 0;
  std::uint32_t found = 0;
  for (const ifaddrs* one = all; one != nullptr && found == 0; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || interface != one->ifa_name) continue;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    found = address.sin_addr.s_addr;
  }
  freeifaddrs(all);
  return found;
}

/// A line has words: a size, and the paths of messages from this size on, "NEAR:FAR" with the interfaces of both ends.
SocketPeer paths_to(const OwnPaths& paths, const Reachable& self, const Reachable& peer, std::uint32_t machine) {
  SocketPeer found;
  std::vector<std::string_view> known;
  for (const auto word : split(paths.lines[machine], ' ')) {
    const auto ends = split(word, ':');
    if (ends.size() == 1) found.by_size.push_back({parse_unsigned<Bytes>(word).value_or(0), {}});
    if (ends.size() != 2 || found.by_size.empty()) continue;
    const auto at = std::ranges::find(known, word);
    found.by_size.back().paths.push_back(static_cast<std::uint32_t>(at - known.begin()));
    if (at != known.end()) continue;
    known.push_back(word);
    const auto near = parse_unsigned<std::size_t>(ends[0]).value_or(0);
    const auto far = parse_unsigned<std::size_t>(ends[1]).value_or(0);
    found.paths.push_back({self.addresses[near], paths.interfaces[near], peer.addresses[far], peer.port});
  }
  // Processes of one machine; and where no network joins two machines, they may have routes.
  if (found.paths.empty()) found = {{{0, "", peer.addresses[0], peer.port}}, {{0, {0}}}};
  return found;
}

/// Why this process can't take part; empty if it can. Fills `here` with its addresses.
std::string why_not(const Process& process, const OwnPaths& own, Reachable& here) {
  if (process.placement.machine_count() > max_machines)
    return fmt::format("there are more than {} machines", max_machines);
  if (threads_may_call(process)) return "the program's threads may call at the same time";
  if (own.interfaces.size() > max_interfaces) return fmt::format("a machine has {} NICs", own.interfaces.size());
  for (std::size_t i = 0; i < own.interfaces.size(); ++i) {
    here.addresses[i] = address_of(own.interfaces[i]);
    if (here.addresses[i] == 0) {
      return fmt::format("the machine of rank {} has no address on {}", process.rank, own.interfaces[i]);
    }
  }
  return own.interfaces.empty() ? "a machine has no NIC" : "";
}

/// As many as there may be, in each direction, in addition to those of the program and the MPI.
bool has_descriptors_for(std::size_t connections) {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && 2 * connections < limit.rlim_cur / 2;
}

/// Rank 0 makes it; the MPI passes it on. Error: the kernel has no random numbers, which all processes report.
Result<JobSecret> shared_secret(const Process& process) {
  JobSecret secret;
  int is_made = 0;
  if (process.rank == 0) {
    if (const auto made = random_secret()) {
      secret = *made;
      is_made = 1;
    }
  }
  PMPI_Bcast(&is_made, 1, MPI_INT, 0, MPI_COMM_WORLD);
  PMPI_Bcast(secret.bytes.data(), static_cast<int>(secret.bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  if (is_made == 1) return secret;
  return fail("the kernel gives no random numbers");
}

/// Those on which other processes connect to this one.
std::vector<std::uint32_t> own_addresses(const Reachable& here) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t address : here.addresses) {
    if (address != 0 && std::ranges::find(found, address) == found.end()) found.push_back(address);
  }
  return found;
}

}  // namespace

std::vector<std::string> paths_of_machines(const Network& network, const Job& job) {
  const Job one_each{job.machines()};
  const auto machines = static_cast<Rank>(one_each.rank_count());
  if (machines > max_machines) return std::vector<std::string>(machines);
  const RailMap map(network, one_each, RailUse::lowest_latency);
  std::vector<Rank> first_nic;
  Rank nics = 0;
  for (const MachineId machine : one_each.machine_of_rank) {
    first_nic.push_back(nics);
    nics += static_cast<Rank>(network.machine(machine).endpoints.size());
  }
  std::vector<std::string> found;
  for (Rank from = 0; from < machines; ++from) {
    std::string& text = found.emplace_back();
    for (const PortId endpoint : network.machine(one_each.machine_of_rank[from]).endpoints) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", network.name(network.port(endpoint).device));
    }
    text += '\n';
    for (Rank to = 0; to < machines; ++to) {
      for (const PathsFrom& paths : from == to ? std::vector<PathsFrom>{} : map.paths(from, to)) {
        text += fmt::format("{} ", paths.bytes);
        for (const auto& [leaves, arrives] : paths.parts) {
          text += fmt::format("{}:{} ", leaves - first_nic[from], arrives - first_nic[to]);
        }
      }
      text += '\n';
    }
  }
  return found;
}

void join_networks(Process& process, const std::vector<std::string>& paths) {
  const std::string text = scattered(process, paths);
  const OwnPaths own = own_paths(text);
  Reachable here{};
  std::string reason = why_not(process, own, here);
  const auto secret = shared_secret(process);
  auto sockets = secret ? ProcessSockets::listen(
                              static_cast<Rank>(process.rank),
                              {.secret = *secret, .addresses = own_addresses(here), .while_waiting = let_mpi_progress})
                        : Failure(secret.error());
  if (!sockets) reason = in_words(sockets.error());
  here.port = sockets ? (*sockets)->port() : 0;
  std::vector<Reachable> all(process.placement.machine.size());
  PMPI_Allgather(&here, sizeof here, MPI_BYTE, all.data(), sizeof here, MPI_BYTE, MPI_COMM_WORLD);
  std::vector<SocketPeer> by_process(all.size());
  std::size_t connections = 0;
  for (std::size_t peer = 0; peer < all.size() && reason.empty(); ++peer) {
    if (peer != static_cast<std::size_t>(process.rank)) {
      by_process[peer] = paths_to(own, here, all[peer], process.placement.machine[peer]);
    }
    connections += by_process[peer].paths.size();
  }
  if (!has_descriptors_for(connections)) reason = fmt::format("{} connections are too many files", 2 * connections);
  reason = first_reason(std::move(reason));
  if (!reason.empty()) return report(fmt::format("messages between machines go through the MPI: {}", reason));
  (*sockets)->set_peers(std::move(by_process));
  process.sockets = std::move(*sockets);
  explain(
      "messages between machines go by connections of the plug-in's own, over the networks that both are on, and so do "
      "all of calls that do not block");
  if (process.collectives_are_apart) {
    explain(
        "collectives have networks that the MPI's other messages do not take: they are executed from the first call "
        "on, "
        "and the MPI's own, which would leave those networks, are not among what is tried");
  }
}

}  // namespace ayatori::plugin
