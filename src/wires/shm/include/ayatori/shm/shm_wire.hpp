#pragma once
/// \file
/// Datagrams between processes of one node through shared memory.
///
/// Each process owns one ring into which all its peers write; it is as large as ShmOptions say, however many they are.
/// Peers' rings are mapped when something is sent to them, a bounded number at a time. A full ring, and one that is not
/// there yet, drop, or refuse what is express: so a stopped peer holds up nobody else, and the transport sends again.
/// One copy on the way in; the receiver reads it where it lies.
///
/// Processes of one job share key, folder and network namespace (which has the names they wake each other by), and
/// belong to one user. What a killed process leaves is removed by the next one that makes a wire in the folder.

#include <filesystem>
#include <memory>

#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

struct ShmOptions {
  Rank self = 0;
  transport::JobKey key = 0;
  std::filesystem::path folder = "/dev/shm";

  std::uint32_t cells = 512;             ///< datagrams that the ring holds, 256 bytes each; a power of two, 16 to 2^20
  std::uint32_t buffers = 128;           ///< of these, datagrams larger than 240 bytes; 1 to 65,536
  std::uint32_t datagram_bytes = 8'192;  ///< largest datagram, and size of a buffer; a multiple of 64, 256 to 2^20
  std::uint32_t mappings = 32;           ///< peers' rings mapped at a time, at least 1
};

struct ShmStatistics {
  std::uint64_t full = 0;        ///< datagrams dropped because the peer's ring was full …
  std::uint64_t absent = 0;      ///< … or the peer had none
  std::uint64_t unfinished = 0;  ///< datagrams given up because their sender was stopped or killed while it wrote them
  std::uint64_t malformed = 0;   ///< cells that no sender of ours would write
  std::uint64_t wakes = 0;       ///< peers woken
};

class ShmWire final : public PollableWire {
 public:
  /// Errors: options out of range, a full or read-only folder, a living process with the same key and rank.
  [[nodiscard]] static Result<std::unique_ptr<ShmWire>> make(const ShmOptions& options);
  ~ShmWire() override;

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool lossless(transport::PeerId) const override { return true; }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override {}
  std::size_t poll(std::size_t most, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration longest) override;
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void withdraw() override;
  void disown() override;

  [[nodiscard]] ShmStatistics statistics() const;

  /// The first peer's segment that can't be used, if there was one: datagrams to it are dropped as if it were absent.
  [[nodiscard]] const std::optional<Error>& problem() const;

 private:
  struct State;
  ShmWire(Descriptor bell, std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::wires
