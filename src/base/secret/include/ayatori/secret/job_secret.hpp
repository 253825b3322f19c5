#pragma once
/// \file
/// The secret of a job: 128 random bits that its processes have and nobody else. Rank 0 makes it, and the launcher
/// passes it on. It is never on a command line, in a name, or in a datagram. Keys for all purposes follow from it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"

namespace ayatori {

struct JobSecret {
  std::array<std::byte, 16> bytes{};

  bool operator==(const JobSecret&) const = default;
};

/// 128 bits from the kernel. Error: it has none.
[[nodiscard]] Result<JobSecret> random_secret();

/// 32 hexadecimal digits, for launchers that keep texts.
[[nodiscard]] std::string text_of(const JobSecret& secret);

/// Error: the text is no such digits. The message does not repeat it.
[[nodiscard]] Result<JobSecret> parse_secret(std::string_view text);

/// The secret in the first line of a file. Errors: the file is not a regular file of this user, or others may read or
/// write it (it must have mode 0600 or 0400); its first line is not a secret.
[[nodiscard]] Result<JobSecret> read_secret(const std::filesystem::path& file);

using DerivedKey = std::array<std::byte, 32>;

/// A key for one purpose: HMAC-SHA-256 of its name (RFC 2104). Neither the secret nor the key of another purpose can be
/// computed from it.
[[nodiscard]] DerivedKey derived_key(const JobSecret& secret, std::string_view purpose);

/// A number that distinguishes jobs. It may be known to everybody.
[[nodiscard]] std::uint64_t public_number(const JobSecret& secret);

/// The secret of the job's next incarnation, as all its processes compute it.
[[nodiscard]] JobSecret next_secret(const JobSecret& secret);

/// HMAC-SHA-256 with a derived key.
[[nodiscard]] DerivedKey proof_of(const DerivedKey& key, std::span<const std::byte> message);

/// Compares in a time that does not depend on the contents.
[[nodiscard]] bool equal_in_constant_time(std::span<const std::byte> one, std::span<const std::byte> other);

}  // namespace ayatori
