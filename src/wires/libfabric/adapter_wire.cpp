// The wire for libacp, which loads this library.

#include "ayatori/lookup/adapter_wire.hpp"

#include "ayatori/libfabric/libfabric_wire.hpp"
#include "ayatori/lookup/looked_up_wire.hpp"

namespace ayatori::wires {

namespace {

AdapterWire opened(const AdapterSettings& settings) {
  auto lookup = AddressLookup::make(settings.lookup);
  if (!lookup) return Failure(lookup.error());
  AddressLookup& peers = **lookup;
  LibfabricOptions options;
  options.self = settings.lookup.self;
  if (!settings.adapter.empty()) options.provider = settings.adapter;
  options.resolve = [&peers](Rank rank) { return peers.find(rank); };
  auto wire = LibfabricWire::make(options);
  if (!wire) return Failure(wire.error());
  peers.set_own((*wire)->address());
  return LookedUpWire::make(std::move(*lookup), std::move(*wire));
}

}  // namespace

}  // namespace ayatori::wires

extern "C" void ayatori_open_adapter_wire(const ayatori::wires::AdapterSettings& settings,
                                          ayatori::wires::AdapterWire& made) {
  made = ayatori::wires::opened(settings);
}
