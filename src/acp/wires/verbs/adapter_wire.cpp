// The wire for libacp, which loads this library.

#include "ayatori/lookup/adapter_wire.hpp"

#include <cstring>

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
  const Card* const card = lookup.find(rank);
  if (!card) return fail("the adapter's address of rank {} is not known yet", rank);
  UdAddress address;
  if (card->adapter.size() != sizeof address) return fail("rank {} has another kind of adapter", rank);
  std::memcpy(&address, card->adapter.data(), sizeof address);
  return address;
}

AdapterWire opened(const AdapterSettings& settings) {
  auto wire = VerbsWire::make({.key = settings.key, .device = settings.adapter},
                              [peers = settings.lookup](Rank rank) { return found_by(*peers, rank); });
  if (!wire) return Failure(wire.error());
  settings.lookup->set_own_adapter(bytes_of((*wire)->address()));
  return std::move(*wire);
}

}  // namespace

}  // namespace ayatori::wires

extern "C" void ayatori_open_adapter_wire(const ayatori::wires::AdapterSettings& settings,
                                          ayatori::wires::AdapterWire& made) {
  made = ayatori::wires::opened(settings);
}

/// Of an adapter whose MTU is the largest that InfiniBand has, that of the default options.
extern "C" void ayatori_find_adapter_memory(ayatori::wires::AdapterMemory& found) {
  using namespace ayatori::wires;
  const VerbsOptions options;
  found = {.datagram_bytes = options.datagram_bytes,
           .bytes = VerbsWire::memory_bytes(options, options.datagram_bytes),
           .address_bytes = sizeof(UdAddress),
           .queue_pairs = VerbsWire::queue_pairs};
}
