#pragma once
/// \file
/// Datagrams over libfabric's FI_EP_DGRAM endpoints, of any provider that has them (`fi_info -t FI_EP_DGRAM`). The
/// provider `udp` needs no adapter.
///
/// A datagram is copied into a buffer that the provider may have registered, and read from the buffer into which the
/// provider received it. The address vector holds a bounded number of peers.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/udp/addresses.hpp"

namespace ayatori::wires {

/// The address of a rank: what LibfabricWire::address() returns in its process.
using FabricAddress = std::vector<std::byte>;

/// Called when something is sent to a rank that is not in the address vector; must not wait for the network. After an
/// error the datagram is lost, and the resolver is called again for the next one.
using FabricResolver = std::function<Result<FabricAddress>(Rank)>;

struct LibfabricOptions {
  Rank self = 0;
  std::string provider = "udp";
  std::string domain{};  ///< the adapter, as fi_info names it; the provider's first one if empty

  /// Without `resolve`, addresses follow from the rank, and the provider must use IPv4 addresses.
  UdpAddresses addresses{};
  FabricResolver resolve{};

  std::uint32_t datagram_bytes = 8'192;  ///< largest datagram; less if the provider has less; at least 192
  std::uint32_t receive_buffers = 512;   ///< at least 1
  std::uint32_t send_buffers = 64;       ///< at least 1
  std::uint32_t peers = 1'024;           ///< in the address vector at a time, at least 1
};

struct LibfabricStatistics {
  std::uint64_t no_room = 0;     ///< times that the provider, or we, had no room to send
  std::uint64_t unresolved = 0;  ///< datagrams lost because their receiver's address is not known, …
  std::uint64_t refused = 0;     ///< … because the provider did not take them, …
  std::uint64_t failed = 0;      ///< … or reported an error of sending or receiving them
};

class LibfabricWire final : public PollableWire {
 public:
  /// Errors: options out of range; no such provider or domain; a call that the provider refuses, by its name.
  [[nodiscard]] static Result<std::unique_ptr<LibfabricWire>> make(const LibfabricOptions& options);
  ~LibfabricWire() override;

  /// The address of this process, for the resolvers of its peers.
  [[nodiscard]] const FabricAddress& address() const;

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override {}
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override;
  void woken() override {}
  void add_descriptors(std::vector<pollfd>& polled) const override;

  [[nodiscard]] const LibfabricStatistics& statistics() const;

  /// Why the first datagram was lost that was unresolved, refused or failed.
  [[nodiscard]] const std::optional<Error>& problem() const;

 private:
  struct State;
  LibfabricWire(Descriptor interrupt_event, std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::wires
