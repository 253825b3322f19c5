#include "ayatori/cluster/cluster.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/network/builder.hpp"
#include "cluster_file.hpp"

namespace ayatori {

namespace {

using cluster::Cluster;
using cluster::Link;

constexpr std::size_t max_ports = std::numeric_limits<PortNumber>::max();
constexpr std::uint32_t max_rail = std::numeric_limits<std::uint16_t>::max();

/// By link: the number of its NIC among those of its host on its plane.
std::vector<std::uint32_t> numbers_of_nics(const Cluster& cluster) {
  const std::size_t planes = cluster.planes.size();
  std::vector<std::uint32_t> next(cluster.hosts.size() * planes);
  std::vector<std::uint32_t> numbers;
  for (const Link& link : cluster.links) {
    const std::uint32_t plane = cluster.switches[link.to].plane;
    numbers.push_back(link.from_host ? next[link.from * planes + plane]++ : 0);
  }
  return numbers;
}

bool begins_with_letter(std::string_view name) {
  const char first = name.empty() ? '\0' : name.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
}

/// Begins with a letter: Open MPI takes other names of interfaces for addresses, and then uses every network.
std::string nic_name(const Cluster& cluster, const Link& link, std::uint32_t number) {
  const std::string& plane = cluster.planes[cluster.switches[link.to].plane].name;
  return fmt::format("{}{}{}", begins_with_letter(plane) ? "" : "n", plane, number);
}

/// Each host has a NIC for each of its links. A NIC's rail is its number among those of its host on its plane, after
/// the rails of the planes before: on all hosts, rails of the same number are on the same plane.
class ClusterBuilder {
 public:
  ClusterBuilder(Cluster cluster, std::string_view file) : cluster_(std::move(cluster)), file_(file) {}

  Result<Network> build();

 private:
  [[nodiscard]] std::uint32_t plane_of(const Link& link) const { return cluster_.switches[link.to].plane; }
  [[nodiscard]] Result<std::vector<PortNumber>> ports_of_switches() const;
  void add_switches(std::uint32_t plane, const std::vector<PortNumber>& ports);
  Result<> add_nics(std::uint32_t plane, const std::vector<std::uint32_t>& numbers);
  Result<> connect();
  void add_background();
  [[nodiscard]] NetworkBuilder::Handle first_nic(std::uint32_t host, std::uint32_t plane) const;

  const Cluster cluster_;
  std::string_view file_;
  NetworkBuilder builder_;
  std::uint32_t first_rail_ = 0;                  // of the plane at hand
  std::vector<NetworkBuilder::Handle> switches_;  // as in the cluster
  std::vector<NetworkBuilder::Handle> nics_;      // by link
};

Result<std::vector<PortNumber>> ClusterBuilder::ports_of_switches() const {
  std::vector<std::size_t> ports(cluster_.switches.size());
  for (const Link& link : cluster_.links) {
    ++ports[link.to];
    if (!link.from_host) ++ports[link.from];
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i] > max_ports)
      return fail("{}: '{}' has more than {} links", file_, cluster_.switches[i].name, max_ports);
  }
  return std::vector<PortNumber>(ports.begin(), ports.end());
}

void ClusterBuilder::add_switches(std::uint32_t plane, const std::vector<PortNumber>& ports) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (cluster_.switches[i].plane == plane) switches_[i] = builder_.add_router(cluster_.switches[i].name, 0, ports[i]);
  }
}

Result<> ClusterBuilder::add_nics(std::uint32_t plane, const std::vector<std::uint32_t>& numbers) {
  std::uint32_t rails = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Link& link = cluster_.links[i];
    if (!link.from_host || plane_of(link) != plane) continue;
    const std::string& host = cluster_.hosts[link.from];
    const std::uint32_t rail = first_rail_ + numbers[i];
    if (rail > max_rail) return fail_at(file_, link.line, fmt::format("'{}' has too many NICs", host));
    const std::string name = nic_name(cluster_, link, numbers[i]);
    nics_[i] = builder_.add_nic(name, 0, 1, host, static_cast<std::uint16_t>(rail));
    rails = std::max(rails, numbers[i] + 1);
  }
  first_rail_ += rails;
  return {};
}

Result<> ClusterBuilder::connect() {
  std::vector<PortNumber> next(cluster_.switches.size(), 1);
  for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
    const Link& link = cluster_.links[i];
    const auto from = link.from_host ? nics_[i] : switches_[link.from];
    const PortNumber from_port = link.from_host ? 1 : next[link.from]++;
    const PortNumber to_port = next[link.to]++;
    auto connected = builder_.connect(from, from_port, switches_[link.to], to_port, link.rate, link.latency);
    if (!connected) return connected;
  }
  return {};
}

/// Of a host that has one on this plane.
NetworkBuilder::Handle ClusterBuilder::first_nic(std::uint32_t host, std::uint32_t plane) const {
  for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
    const Link& link = cluster_.links[i];
    if (link.from_host && link.from == host && plane_of(link) == plane) return nics_[i];
  }
  return no_id;
}

void ClusterBuilder::add_background() {
  for (const cluster::Background& flow : cluster_.background) {
    builder_.add_background(first_nic(flow.from, flow.plane), 1, first_nic(flow.to, flow.plane), 1, flow.rate);
  }
}

Result<Network> ClusterBuilder::build() {
  const auto ports = ports_of_switches();
  if (!ports) return Failure(ports.error());
  const auto numbers = numbers_of_nics(cluster_);
  switches_.resize(cluster_.switches.size());
  nics_.resize(cluster_.links.size());
  for (std::uint32_t plane = 0; plane < cluster_.planes.size(); ++plane) {
    builder_.begin_plane(cluster_.planes[plane].name, cluster_.planes[plane].use);
    add_switches(plane, *ports);
    if (auto added = add_nics(plane, numbers); !added) return Failure(added.error());
  }
  if (auto connected = connect(); !connected) return Failure(connected.error());
  add_background();
  return builder_.build();
}

}  // namespace

Result<Network> parse_cluster(std::string_view text, std::string_view file) {
  const auto cluster = cluster::read_cluster(text, file);
  if (!cluster) return Failure(cluster.error());
  return ClusterBuilder(*cluster, file).build();
}

namespace {

Result<std::string> read_text(std::string_view file) {
  if (!file.empty()) return read_file(file);
  return with_hint(fail("cluster: no file is given"), "cluster:FILE (TOML, as docs/cluster-format.md describes it)");
}

}  // namespace

Result<Network> open_cluster(std::string_view file) {
  const auto text = read_text(file);
  if (!text) return Failure(text.error());
  return parse_cluster(*text, file);
}

Result<std::vector<HostInterface>> interfaces_in_cluster(std::string_view file) {
  const auto text = read_text(file);
  if (!text) return Failure(text.error());
  const auto cluster = cluster::read_cluster(*text, file);
  if (!cluster) return Failure(cluster.error());
  const auto numbers = numbers_of_nics(*cluster);
  std::vector<HostInterface> interfaces;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Link& link = cluster->links[i];
    if (link.addresses.empty()) continue;
    interfaces.push_back({cluster->hosts[link.from], nic_name(*cluster, link, numbers[i]), link.addresses, true});
  }
  for (const cluster::Other& other : cluster->others) {
    interfaces.push_back({cluster->hosts[other.host], other.name, other.addresses, false});
  }
  return interfaces;
}

}  // namespace ayatori
