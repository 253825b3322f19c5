#include "ayatori/joining/job.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ayatori/joining/network.hpp"
#include "ayatori/shm/private_folder.hpp"

namespace ayatori::acp {

using wires::ShmOptions;
using wires::UdpOptions;

namespace {

/// Bytes: what crosses any network without fragmentation, by IPv4 and IPv6, and what is fastest on a loopback.
constexpr std::uint32_t network_datagram = 1450;
constexpr std::uint32_t loopback_datagram = 65'504;

/// A process has a port for datagrams, and one for questions about addresses.
constexpr std::uint32_t max_ranks_on_host = 65'535 / 2;

}  // namespace

Result<> choose_wires(JobSetup& setup, std::string_view chosen) {
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

Result<> check_hosts(const JobSetup& setup) {
  const launch::Placement& placement = setup.placement;
  if (setup.wires == WireChoice::shm && !placement.on_one_host()) {
    return fail("the job has several hosts, which ACP_WIRES=shm does not reach");
  }
  if (needs_network(setup) && placement.ranks_on_host > max_ranks_on_host) {
    return fail("a host has {} ranks; each needs two ports, so there can be {}", placement.ranks_on_host,
                max_ranks_on_host);
  }
  return {};
}

ShmOptions shm_options(const JobSetup& setup) {
  const launch::Placement& placement = setup.placement;
  return {.self = placement.rank,
          .key = placement.job_key,
          .folder = wires::folder_of_job(placement.job_key),
          .mappings = std::clamp(placement.ranks_on_host, 32U, 1024U)};
}

UdpOptions udp_options(const JobSetup& setup) {
  return {.datagram_bytes = setup.placement.on_one_host() ? loopback_datagram : network_datagram};
}

transport::Options endpoint_options(const JobSetup& setup, std::size_t datagram_bytes) {
  transport::Options options;
  options.datagram_bytes = static_cast<std::uint32_t>(datagram_bytes);
  options.give_up_after = setup.give_up_after;
  return options;
}

std::uint64_t seed_of(const launch::Placement& placement) {
  const auto secret = placement.secret ? *placement.secret : random_secret().value_or(JobSecret{});
  const DerivedKey key = derived_key(secret, fmt::format("seed of rank {}", placement.rank));
  std::uint64_t seed = 0;
  std::memcpy(&seed, key.data(), sizeof seed);
  return seed;
}

bool shares_memory(const JobSetup& setup) {
  return setup.wires == WireChoice::automatic || setup.wires == WireChoice::shm;
}

void warn_without_tags(const JobSetup& setup) {
  static bool said = false;
  if (setup.tags || !needs_network(setup) || setup.placement.rank != 0 || std::exchange(said, true)) return;
  fmt::print(stderr,
             "acp: ACP_TAGS=off: datagrams have no tags; whoever reaches the network can write into this job\n");
}

}  // namespace ayatori::acp
