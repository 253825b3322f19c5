#pragma once
/// \file
/// How this process takes part in the network of its job: its sockets, its card, and how it finds those of its peers.

#include <memory>

#include "ayatori/joining/job.hpp"
#include "ayatori/lookup/address_lookup.hpp"
#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::acp {

/// Whether the processes reach some of each other by datagrams of a network.
[[nodiscard]] bool needs_network(const JobSetup& setup);

/// A wire over UDP or adapters. Its lookup lives as long as the wire.
struct NetworkWire {
  std::unique_ptr<wires::PollableWire> wire;
  wires::AddressLookup* lookup = nullptr;
};

/// Opens the sockets. The first time, publishes this process's card and fetches those of its fingers, for which all
/// processes have to call it; `setup.directory` has them then. Errors: no secret, no address, a launcher that passes
/// nothing on, no adapter.
[[nodiscard]] Result<NetworkWire> open_network(JobSetup& setup);

/// The wire of this process, over shared memory, a network, or both (JobSetup::wires). Errors: those of open_network()
/// and check_hosts(), no memory, an address that is in use (EADDRINUSE).
[[nodiscard]] Result<NetworkWire> open_wire(JobSetup& setup);

/// The directory that needs nobody to be asked but a launcher that stays: that of the same rank, or by the launcher.
[[nodiscard]] Result<std::optional<Directory>> renewed_directory(const JobSetup& setup, Rank rank);

/// Bytes of all that, with datagrams that an adapter's wire (address_bytes > 0) or UDP carries.
[[nodiscard]] Bytes network_bytes(const JobSetup& setup, std::size_t address_bytes);

}  // namespace ayatori::acp
