#pragma once
/// \file
/// Whether all processes have the same file is asked by comparing these.

#include <cstdint>
#include <string>

namespace ayatori::plugin {

/// XXH3, 64 bits, seed 0, of the contents of a file; 0 if it can't be read. The same on every node, whatever C++
/// library it has.
[[nodiscard]] std::uint64_t checksum_of(const std::string& path);

}  // namespace ayatori::plugin
