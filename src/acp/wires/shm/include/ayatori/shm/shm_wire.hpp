#pragma once
/// \file
/// Datagrams between processes of one machine through shared memory.
///
/// Each process owns one ring into which all its peers write; its size follows from ShmOptions, not from their number.
/// A peer's ring is mapped when something is sent to the peer, and a bounded number of rings is mapped at a time. If a
/// ring is full or not there yet, datagrams are dropped and express ones refused: a stopped peer holds up nobody else,
/// and the transport sends again. The sender copies a datagram into the ring; the receiver reads it there.
///
/// The processes of a job have the same key, folder and user, and see each other in /proc. Nobody else may enter the
/// folder. The memory has no name and belongs to its process: it goes when the last process ends that has it.

#include <filesystem>
#include <memory>

#include "ayatori/driver/clock.hpp"
#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

struct ShmOptions {
  Rank self = 0;
  transport::JobKey key = 0;
  std::filesystem::path folder{};  ///< of this user alone; made if it is missing

  std::uint32_t cells = 512;             ///< datagrams that the ring holds, 256 bytes each; a power of two, 16 to 2^20
  std::uint32_t buffers = 128;           ///< of these, datagrams larger than 240 bytes; 1 to 65,536
  std::uint32_t datagram_bytes = 8'192;  ///< largest datagram, and size of a buffer; a multiple of 64, 256 to 2^20
  std::uint32_t mappings = 32;           ///< peers' rings mapped at a time, at least 1
};

struct ShmStatistics {
  std::uint64_t full = 0;        ///< datagrams dropped because the peer's ring was full …
  std::uint64_t absent = 0;      ///< … or the peer had none
  std::uint64_t unfinished = 0;  ///< datagrams given up because their sender was stopped or killed while it wrote them
  std::uint64_t malformed = 0;   ///< cells with contents that no sender of ours writes
  std::uint64_t wakes = 0;       ///< peers woken
};

class ShmWire final : public PollableWire {
 public:
  /// `clock` measures how long a sender has been writing, and must outlive the wire. Errors: options out of range, no
  /// memory, a folder of somebody else, a living process with the same folder and rank (code EADDRINUSE).
  [[nodiscard]] static Result<std::unique_ptr<ShmWire>> make(const ShmOptions& options, Clock& clock = steady_clock());
  ~ShmWire() override;

  /// Bytes that a wire takes: its ring, and what it keeps of peers. Their rings, which it maps, are theirs.
  [[nodiscard]] static Bytes memory_bytes(const ShmOptions& options);

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool lossless(transport::PeerId) const override { return true; }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override {}
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override;
  void woken() override;
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void withdraw() override;
  void disown() override;

  [[nodiscard]] ShmStatistics statistics() const;

  /// Why the first peer's memory could not be used, if there was one. Datagrams to that peer are dropped, as if it
  /// were absent.
  [[nodiscard]] const std::optional<Error>& problem() const;

 private:
  struct State;
  explicit ShmWire(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::wires
