#pragma once
/// \file
/// Plans of one path per pair as files: packed bits, at most one byte per pair.
///
///     offset  size  what
///     0       8     "AYAPLAN1"
///     8       4     ranks n, little-endian
///     12      1     bits per entry b, 1 … 7 (path bits fit into LMC <= 7)
///     13      ⌈n² · b / 8⌉   path bits of (0, 0), (0, 1), … (n − 1, n − 1): entry i in the bits b · i … b · i + b − 1,
///                   bit k being bit k mod 8 of byte k / 8 (least significant first); the last byte is filled with 0
///     end − 4 4     CRC-32 (IEEE 802.3) of everything before it, little-endian

#include <cstdint>
#include <string_view>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"

namespace ayatori {

/// Writes the path bits that the plan, of whatever method, has for each pair. All entries take as many bits as the
/// largest needs. Returns the checksum at the end.
std::uint32_t write_pair_plan(const Plan& plan, const Sink& sink);

/// The checksum at the end of what parse_pair_plan() read without an error.
[[nodiscard]] std::uint32_t checksum_of_pair_plan(std::string_view contents);

/// Reads what write_pair_plan wrote, as a plan of Method::pair. `file` is for messages. Errors: a file that is not a
/// plan, a file of another length than its header says, a wrong checksum.
[[nodiscard]] Result<Plan> parse_pair_plan(std::string_view contents, std::string_view file);

}  // namespace ayatori
