#pragma once
/// \file
/// What a process makes of its Setup: the settings of its global memory.

#include "ayatori/onesided/global_memory.hpp"
#include "process.hpp"

namespace ayatori::acp {

inline constexpr Bytes page = 4096;

/// Over a wire with datagrams of that size. Its adapter's part (Settings::rdma) is the caller's to add.
[[nodiscard]] onesided::Settings memory_settings(const Setup& setup, std::size_t datagram_bytes);

/// The memory of each process starts at a page, so that the words of atomics are aligned.
[[nodiscard]] Bytes starter_bytes_of_each(const Setup& setup);

}  // namespace ayatori::acp
