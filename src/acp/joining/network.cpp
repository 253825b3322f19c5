#include "ayatori/joining/network.hpp"

#include "ayatori/combined/combined_wire.hpp"
#include "ayatori/joining/adapter_library.hpp"
#include "ayatori/lookup/looked_up_wire.hpp"
#include "ayatori/sealed/sealed_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"

namespace ayatori::acp {

using wires::AddressLookup;
using wires::Card;
using wires::PollableWire;
using wires::SealedWire;
using wires::SealOptions;
using wires::SocketAddress;
using wires::UdpPeers;
using wires::UdpSocket;
using wires::UdpWire;

namespace {

/// Above all numbers that this rank has used with the key: the clock goes on from one process to the next, and no
/// process seals a billion datagrams in a second.
std::uint64_t first_number() {
  return static_cast<std::uint64_t>(wires::steady_clock().now().time_since_epoch().count());
}

SealOptions seal_options(const JobSetup& setup, std::string_view purpose) {
  const launch::Placement& placement = setup.placement;
  return {.key = derived_key(*placement.secret, purpose),
          .self = placement.rank,
          .procs = placement.procs,
          .first_number = first_number()};
}

Result<Card> read_published(launch::Launcher& launcher, Rank rank) {
  const auto bytes = launcher.published(rank);
  if (!bytes) return Failure(bytes.error());
  auto card = wires::read_card(*bytes);
  if (!card) return fail("what rank {} has published is no address", rank);
  return std::move(*card);
}

Result<Directory> first_directory(const JobSetup& setup, std::vector<wires::HostAddress> addresses,
                                  std::uint16_t port) {
  Directory made;
  made.own = {.lookup_port = port, .data_port = 0, .addresses = std::move(addresses), .adapter = {}};
  launch::Launcher& launcher = *setup.launcher;
  if (auto good = launcher.publish(wires::written(made.own)); !good) return Failure(good.error());
  if (launcher.stays()) return made;
  for (const Rank rank : wires::fingers_of(setup.placement.rank, setup.placement.procs)) {
    auto card = read_published(launcher, rank);
    if (!card) return Failure(card.error());
    made.fingers.push_back({rank, std::move(*card)});
  }
  return made;
}

std::vector<IpAddress> ips_of(const std::vector<wires::HostAddress>& addresses) {
  std::vector<IpAddress> ips;
  for (const wires::HostAddress& address : addresses) ips.push_back(address.ip);
  return ips;
}

Result<std::vector<wires::HostAddress>> addresses_of_host(const JobSetup& setup) {
  if (setup.placement.on_one_host()) return std::vector{wires::loopback()};
  return wires::own_addresses(setup.networks);
}

Result<std::unique_ptr<AddressLookup>> open_lookup(JobSetup& setup, const UdpSocket& data) {
  const auto ips = ips_of(setup.directory ? setup.directory->own.addresses : setup.addresses);
  auto socket = wires::open_udp_socket(ips, setup.directory ? setup.directory->own.lookup_port : 0);
  if (!socket) return Failure(socket.error());
  wires::share_port(*socket);  // with the same rank after acp_reset
  if (!setup.directory) {
    auto made = first_directory(setup, setup.addresses, socket->port);
    if (!made) return Failure(made.error());
    setup.directory = std::move(*made);
  }
  wires::LookupOptions options;
  options.seal = seal_options(setup, "addresses");
  options.own = setup.directory->own;
  options.own.data_port = data.port;
  options.fingers = setup.directory->fingers;
  if (setup.launcher && setup.launcher->stays()) {
    options.launcher = [launcher = setup.launcher](Rank rank) -> std::optional<Card> {
      auto card = read_published(*launcher, rank);
      return card ? std::optional(std::move(*card)) : std::nullopt;
    };
  }
  return std::make_unique<AddressLookup>(std::move(options), std::move(*socket));
}

UdpPeers peers_by(AddressLookup& lookup, bool tags) {
  return {.find = [&lookup](Rank rank) { return lookup.find_udp(rank); },
          .admits =
              [&lookup, tags](const SocketAddress& source, std::span<const std::byte> datagram) {
                const auto rank = tags ? claimed_sender(datagram) : transport::sender_of(datagram);
                return rank && lookup.admits(source, *rank);
              }};
}

Result<std::unique_ptr<PollableWire>> open_datagrams(const JobSetup& setup, AddressLookup& lookup, UdpSocket data) {
  if (setup.wires == WireChoice::verbs) {
    return open_adapter({.lookup = &lookup, .adapter = setup.adapter, .key = setup.placement.job_key});
  }
  auto made = UdpWire::make(udp_options(setup), std::move(data), peers_by(lookup, setup.tags));
  if (!made) return Failure(made.error());
  return std::move(*made);
}

}  // namespace

bool needs_network(const JobSetup& setup) {
  return setup.wires == WireChoice::udp || setup.wires == WireChoice::verbs ||
         (setup.wires == WireChoice::automatic && !setup.placement.on_one_host());
}

Result<NetworkWire> open_network(JobSetup& setup) {
  if (!setup.placement.secret) {
    return with_hint(fail("the processes of this job have no secret, without which they talk on one host only"),
                     "srun --mpi=pmix or mpirun with libpmix.so.2, or ACP_JOB_FILE: a file of mode 0600 with 32 random "
                     "hexadecimal digits");
  }
  if (!setup.directory) {
    auto addresses = addresses_of_host(setup);
    if (!addresses) return Failure(addresses.error());
    setup.addresses = std::move(*addresses);
  }
  UdpSocket data;
  if (setup.wires != WireChoice::verbs) {
    auto opened = wires::open_udp_socket(ips_of(setup.directory ? setup.directory->own.addresses : setup.addresses));
    if (!opened) return Failure(opened.error());
    data = std::move(*opened);
  }
  auto lookup = open_lookup(setup, data);
  if (!lookup) return Failure(lookup.error());
  NetworkWire made{.wire = nullptr, .lookup = lookup->get()};
  auto datagrams = open_datagrams(setup, **lookup, std::move(data));
  if (!datagrams) return Failure(datagrams.error());
  std::unique_ptr<PollableWire> inner = std::move(*datagrams);
  if (setup.tags) inner = std::make_unique<SealedWire>(std::move(inner), seal_options(setup, "datagrams"));
  made.wire = std::make_unique<wires::LookedUpWire>(std::move(*lookup), std::move(inner));
  return made;
}

Result<std::optional<Directory>> renewed_directory(const JobSetup& setup, Rank rank) {
  if (!setup.directory || rank == setup.placement.rank) return setup.directory;
  auto card = read_published(*setup.launcher, rank);
  if (!card) return Failure(card.error());
  return Directory{.own = std::move(*card), .fingers = {}};
}

Result<NetworkWire> open_wire(JobSetup& setup) {
  if (auto good = check_hosts(setup); !good) return Failure(good.error());
  std::unique_ptr<PollableWire> near;
  if (shares_memory(setup)) {
    auto made = wires::ShmWire::make(shm_options(setup));
    if (!made) return Failure(made.error());
    near = std::move(*made);
  }
  if (!needs_network(setup)) return NetworkWire{.wire = std::move(near)};
  auto made = open_network(setup);
  if (!made || !near) return made;
  made->wire = std::make_unique<wires::CombinedWire>(
      std::move(near), std::move(made->wire),
      [placement = setup.placement](Rank rank) { return placement.is_near(rank); });
  return made;
}

Bytes network_bytes(const JobSetup& setup, std::size_t address_bytes) {
  const wires::LookupOptions defaults;
  return (setup.tags ? SealedWire::memory_bytes() : 0) +
         AddressLookup::memory_bytes(defaults.kept, setup.placement.procs, address_bytes);
}

}  // namespace ayatori::acp
