#pragma once
/// \file
/// Several pieces of a program's memory in one call. The transport has one piece for each message, so that the bytes
/// are copied.

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ayatori::fabric {

inline constexpr std::size_t max_pieces = 4;

/// The pieces as one, in memory of their own.
class Pieces {
 public:
  explicit Pieces(std::span<const iovec> parts);

  [[nodiscard]] std::span<std::byte> whole() const { return {whole_.get(), size_}; }
  /// Copies what the pieces have. They are the program's.
  void gather() const;
  /// Copies this many bytes to where they belong.
  void scatter(std::size_t bytes) const;

 private:
  std::vector<iovec> parts_;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> whole_;  // NOLINT(modernize-avoid-c-arrays)
};

/// The program's memory, or that of `pieces`.
struct Memory {
  std::span<std::byte> bytes{};
  std::shared_ptr<Pieces> pieces{};
};

/// What a call names; nothing if these are too many.
[[nodiscard]] std::optional<Memory> memory_of(const iovec* pieces, std::size_t count);
/// The same, with the bytes that are to be sent.
[[nodiscard]] std::optional<Memory> bytes_of(const iovec* pieces, std::size_t count);

}  // namespace ayatori::fabric
