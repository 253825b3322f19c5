#pragma once
/// \file
/// How a process takes part in its job: where it is, by which wires it reaches its peers, and how it finds them.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/launch/launcher.hpp"
#include "ayatori/lookup/address_lookup.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/udp/udp_wire.hpp"

namespace ayatori::acp {

using transport::Duration;
using transport::Time;

enum class WireChoice : std::uint8_t {
  automatic,  ///< shared memory within a host, UDP between hosts
  shm,
  udp,
  verbs,  ///< an adapter for all peers, also those on the same host
};

/// Where this process receives questions about addresses, and where its fingers do (ayatori/lookup/address_lookup.hpp).
/// It stays the same as long as the process has its rank.
struct Directory {
  wires::Card own;
  std::vector<wires::Finger> fingers;
};

struct JobSetup {
  launch::Placement placement;
  std::shared_ptr<launch::Launcher> launcher;  ///< asked until the first start, if it does not stay
  std::optional<Directory> directory;          ///< none before the first start, or where there is no network
  WireChoice wires = WireChoice::automatic;
  std::string adapter;  ///< a device of verbs; empty: the first
  Duration give_up_after = std::chrono::seconds(30);
  std::string networks;                       ///< see wires::own_addresses()
  std::vector<wires::HostAddress> addresses;  ///< of this host, in these networks
  bool tags = true;                           ///< of datagrams over a network
};

/// `chosen`: a value of ACP_WIRES, a word, after "verbs" perhaps ":" and a device. Error: it is none.
[[nodiscard]] Result<> choose_wires(JobSetup& setup, std::string_view chosen);

/// Errors: wires that do not reach all hosts, or more ranks than a host has ports for.
[[nodiscard]] Result<> check_hosts(const JobSetup& setup);

/// Over a network alone, processes behave as if each were on a host of its own.
[[nodiscard]] bool shares_memory(const JobSetup& setup);

[[nodiscard]] wires::ShmOptions shm_options(const JobSetup& setup);
[[nodiscard]] wires::UdpOptions udp_options(const JobSetup& setup);

/// Of an endpoint for messages, puts and gets over a wire whose datagrams have so many bytes.
[[nodiscard]] transport::Options endpoint_options(const JobSetup& setup, std::size_t datagram_bytes);

/// Another number in each process, which follows from the secret. The keys of registered memory follow from it, too,
/// which strangers must not guess.
[[nodiscard]] std::uint64_t seed_of(const launch::Placement& placement);

/// One process says it for all, on stderr: its job has no tags.
void warn_without_tags(const JobSetup& setup);

}  // namespace ayatori::acp
