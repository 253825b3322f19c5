#pragma once
/// \file
/// Tags of datagrams: UMAC with 64 bits (RFC 4418) over header and payload, with a key that follows from the job's
/// secret. A stranger's datagram has the right tag with a probability of 2^-60. bench/micro/tags_bench.cpp compares it
/// with tags of other kinds; docs/decisions/0033-a-job-secret.md has the results.
///
/// A sealed datagram: number (8 bytes), rank of the sender (4), tag (8), contents. Integers are little-endian. Number
/// and rank are the nonce, so a rank must never use a number twice with one key. Numbers begin at the wall clock's
/// nanoseconds: a process that has started anew goes on above those of the one before.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "ayatori/base/ids.hpp"
#include "ayatori/secret/job_secret.hpp"

namespace ayatori {

inline constexpr std::size_t seal_bytes = 20;

using SealHeader = std::array<std::byte, seal_bytes>;

/// What was in a sealed datagram whose tag is right.
struct Unsealed {
  std::uint64_t number = 0;
  Rank from = 0;
  std::span<const std::byte> contents;  ///< within the datagram
};

/// The rank that a datagram names as its sender, before the tag is checked. Nothing if it is too short.
[[nodiscard]] std::optional<Rank> claimed_sender(std::span<const std::byte> datagram);

/// Not thread-safe.
class Seal {
 public:
  /// `first_number`: above all numbers that this rank has used with the key.
  Seal(const DerivedKey& key, Rank self, std::uint64_t first_number);
  Seal(Seal&&) noexcept;
  Seal& operator=(Seal&&) noexcept;
  ~Seal();

  /// What has to stand before the contents, which are the pieces one after the other.
  [[nodiscard]] SealHeader close(std::span<const std::byte> contents, std::span<const std::byte> more = {});

  /// Nothing if the tag is wrong, or if there are no contents.
  [[nodiscard]] std::optional<Unsealed> open(std::span<const std::byte> datagram);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ayatori
