#include "configuration.hpp"

#include <algorithm>
#include <array>

namespace ayatori::acp {

using wires::ShmOptions;
using wires::UdpAddresses;
using wires::UdpOptions;

namespace {

/// Bytes: what crosses any network without fragmentation, and what is fastest on a loopback.
constexpr std::uint32_t network_datagram = 1470;
constexpr std::uint32_t loopback_datagram = 65'504;

/// Jobs on one host must not share addresses: each has addresses of its own in 127.0.0.0/8.
std::uint32_t loopback_of(std::uint64_t key) {
  const auto low = static_cast<std::uint32_t>(key ^ key >> 22 ^ key >> 44) & 0x3F'FFFF;
  return 127U << 24 | low << 2 | 2U;
}

}  // namespace

Result<> choose_wires(Setup& setup, std::string_view chosen) {
  constexpr std::array<std::string_view, 4> names{"auto", "shm", "udp", "verbs"};
  const std::string_view word = chosen.substr(0, chosen.find(':'));
  const auto* const found = std::ranges::find(names, word);
  const bool named = word.size() < chosen.size();
  if (found == names.end() || (named && (word != "verbs" || word.size() + 1 == chosen.size()))) {
    return fail("ACP_WIRES is '{}'; it must be auto, shm, udp, verbs, verbs:DEVICE", chosen);
  }
  setup.wires = static_cast<WireChoice>(found - names.begin());
  if (named) setup.adapter = chosen.substr(word.size() + 1);
  return {};
}

bool is_on_one_host(const Setup& setup) { return setup.placement.ranks_per_host == setup.placement.procs; }

Result<> check_hosts(const Setup& setup) {
  if (is_on_one_host(setup)) return {};
  if (!setup.first_host) {
    return with_hint(
        fail("the job has several hosts, and their addresses are not known"),
        "set ACP_FIRST_HOST to the address of the host of rank 0; the other hosts must have the addresses after it");
  }
  if (setup.wires == WireChoice::shm) return fail("the job has several hosts, which ACP_WIRES=shm does not reach");
  return {};
}

UdpAddresses udp_addresses(const Setup& setup) {
  return {.first_host = setup.first_host.value_or(loopback_of(setup.placement.job_key)),
          .ranks_per_host = setup.placement.ranks_per_host};
}

wires::LookupOptions lookup_options(const Setup& setup) {
  const launch::Placement& placement = setup.placement;
  return {
      .addresses = udp_addresses(setup), .self = placement.rank, .procs = placement.procs, .key = placement.job_key};
}

ShmOptions shm_options(const Setup& setup) {
  const launch::Placement& placement = setup.placement;
  return {
      .self = placement.rank, .key = placement.job_key, .mappings = std::clamp(placement.ranks_per_host, 32U, 1024U)};
}

UdpOptions udp_options(const Setup& setup) {
  return {.addresses = udp_addresses(setup),
          .self = setup.placement.rank,
          .datagram_bytes = is_on_one_host(setup) ? loopback_datagram : network_datagram};
}

onesided::Settings memory_settings(const Setup& setup, std::size_t datagram_bytes) {
  const launch::Placement& placement = setup.placement;
  onesided::Settings settings;
  settings.identity = {.self = placement.rank, .key = placement.job_key, .seed = placement.job_key + placement.rank};
  settings.procs = placement.procs;
  settings.endpoint.datagram_bytes = static_cast<std::uint32_t>(datagram_bytes);
  settings.endpoint.give_up_after = setup.give_up_after;
  settings.connections = setup.connections;
  settings.adapter_atomics = setup.adapter_atomics;
  return settings;
}

Bytes starter_bytes_of_each(const Setup& setup) { return (setup.starter_bytes + page - 1) / page * page; }

}  // namespace ayatori::acp
