#include "ayatori/acp/memory_use.hpp"

#include <algorithm>
#include <vector>

#include "ayatori/base/heap.hpp"
#include "ayatori/joining/adapter_library.hpp"
#include "ayatori/joining/network.hpp"
#include "configuration.hpp"

namespace ayatori::acp {

using wires::ShmWire;
using wires::UdpWire;

namespace {

/// Sets the memory of the wires; returns the size of their datagrams.
Result<std::size_t> find_wires(const Setup& setup, MemoryUse& use) {
  if (setup.wires == WireChoice::verbs) {
    const auto found = adapter_memory();
    if (!found) return Failure(found.error());
    use.wires = found->bytes + network_bytes(setup, found->address_bytes);
    // A process opens as many connections as it may, and accepts as many, each with a queue pair of its own.
    use.queue_pairs = found->queue_pairs + 2 * std::min(setup.connections, setup.placement.procs - 1);
    return found->datagram_bytes;
  }
  std::vector<std::size_t> datagrams;
  if (setup.wires != WireChoice::udp) {
    const wires::ShmOptions options = shm_options(setup);
    use.wires += ShmWire::memory_bytes(options);
    datagrams.push_back(options.datagram_bytes);
  }
  if (needs_network(setup)) {
    const wires::UdpOptions options = udp_options(setup);
    use.wires += UdpWire::memory_bytes(options) + network_bytes(setup, 0);
    use.waiting = options.receive_bytes;
    datagrams.push_back(options.datagram_bytes);
  }
  return std::ranges::min(datagrams);
}

/// Of an endpoint that has taken all it ever takes.
struct Nobody final : transport::Application {
  std::byte* reserve(transport::PeerId, Bytes, transport::Urgency) override { return nullptr; }
  void deliver(transport::PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
};

}  // namespace

Result<MemoryUse> memory_use(std::string_view wires, Rank procs, std::uint32_t ranks_per_host) {
  if (heap_in_use() == 0) return fail("this program's allocator does not report its memory in use");
  Setup setup;
  if (auto chosen = choose_wires(setup, wires); !chosen) return Failure(chosen.error());
  setup.placement.procs = procs;
  setup.placement.ranks_on_host = std::min(ranks_per_host, procs);
  if (auto good = check_hosts(setup); !good) return Failure(good.error());
  MemoryUse use;
  const auto datagram_bytes = find_wires(setup, use);
  if (!datagram_bytes) return Failure(datagram_bytes.error());
  const onesided::Settings settings = memory_settings(setup, *datagram_bytes);
  if (auto made = GlobalMemory::make(settings); !made) return Failure(made.error());
  use.tables = heap_taken_by([&] {
    auto memory = *GlobalMemory::make(settings);
    memory->endpoint().take_all_memory();
    return memory;
  });
  Nobody nobody;
  use.provider = heap_taken_by([&] {
    auto endpoint = *transport::Endpoint::make({}, endpoint_options(setup, *datagram_bytes), nobody);
    endpoint.take_all_memory();
    return endpoint;
  });
  use.starter = starter_bytes_of_each(setup) + onesided::Memory::neighbour_bytes;
  return use;
}

}  // namespace ayatori::acp
