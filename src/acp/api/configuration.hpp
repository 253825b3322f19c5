#pragma once
/// \file
/// What a process makes of its Setup: the options of its wires, and the settings of its global memory.

#include <string_view>

#include "ayatori/onesided/global_memory.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"
#include "process.hpp"

namespace ayatori::acp {

/// `chosen`: a value of ACP_WIRES, a word, after "verbs" perhaps ":" and a device. Error: it is none.
[[nodiscard]] Result<> choose_wires(Setup& setup, std::string_view chosen);

inline constexpr Bytes page = 4096;

/// Errors: wires that do not reach all hosts, or more ranks than a host has ports for.
[[nodiscard]] Result<> check_hosts(const Setup& setup);

[[nodiscard]] wires::ShmOptions shm_options(const Setup& setup);
[[nodiscard]] wires::UdpOptions udp_options(const Setup& setup);

/// Over a wire with datagrams of that size. Its adapter's part (Settings::rdma) is the caller's to add.
[[nodiscard]] onesided::Settings memory_settings(const Setup& setup, std::size_t datagram_bytes);

/// The memory of each process starts at a page, so that the words of atomics are aligned.
[[nodiscard]] Bytes starter_bytes_of_each(const Setup& setup);

}  // namespace ayatori::acp
