// The wire for libacp, which loads this library.

#include "ayatori/lookup/adapter_wire.hpp"

#include <cstring>

#include "ayatori/lookup/looked_up_wire.hpp"
#include "ayatori/verbs/verbs_wire.hpp"

namespace ayatori::wires {

namespace {

/// Between processes of the same build on machines of the same kind, as memory has it.
AdapterAddress bytes_of(const UdAddress& address) {
  static_assert(std::is_trivially_copyable_v<UdAddress>);
  AdapterAddress bytes(sizeof address);
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

Result<UdAddress> found_by(AddressLookup& lookup, Rank rank) {
  const auto bytes = lookup.find(rank);
  if (!bytes) return Failure(bytes.error());
  UdAddress address;
  if (bytes->size() != sizeof address) return fail("rank {} has another kind of adapter", rank);
  std::memcpy(&address, bytes->data(), sizeof address);
  return address;
}

AdapterWire opened(const AdapterSettings& settings) {
  auto lookup = AddressLookup::make(settings.lookup);
  if (!lookup) return Failure(lookup.error());
  AddressLookup& peers = **lookup;
  auto wire = VerbsWire::make({.key = settings.lookup.key, .device = settings.adapter},
                              [&peers](Rank rank) { return found_by(peers, rank); });
  if (!wire) return Failure(wire.error());
  peers.set_own(bytes_of((*wire)->address()));
  return std::make_unique<LookedUpWire>(std::move(*lookup), std::move(*wire));
}

}  // namespace

}  // namespace ayatori::wires

extern "C" void ayatori_open_adapter_wire(const ayatori::wires::AdapterSettings& settings,
                                          ayatori::wires::AdapterWire& made) {
  made = ayatori::wires::opened(settings);
}

/// Of an adapter whose MTU is the largest that InfiniBand has, that of the default options.
extern "C" void ayatori_find_adapter_memory(const ayatori::wires::LookupOptions& lookup,
                                            ayatori::wires::AdapterMemory& found) {
  using namespace ayatori::wires;
  const VerbsOptions options{.key = lookup.key};
  found = {.datagram_bytes = options.datagram_bytes,
           .bytes = VerbsWire::memory_bytes(options, options.datagram_bytes) +
                    AddressLookup::memory_bytes(lookup, sizeof(UdAddress)),
           .queue_pairs = VerbsWire::queue_pairs};
}
