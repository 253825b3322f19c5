#pragma once
/// \file
/// What this provider offers (fi_getinfo). What is asked for and not offered is refused there.

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>

namespace ayatori::fabric {

/// Longer messages are fetched by their receiver. Up to here the sender's bytes are copied.
inline constexpr std::size_t max_short_message = 16'384;
inline constexpr std::size_t max_message = std::size_t{1} << 40;

// Of libfabric 1, whose programs still use them: libfabric 2 has no names for them, or warns of their use.
inline constexpr std::uint32_t of_a_provider = 1U << 31;  ///< a format or protocol that libfabric has no number for
inline constexpr int mr_basic = 1;
inline constexpr int mr_scalable = 2;

inline constexpr std::uint32_t address_format = of_a_provider | 0x61;

/// Orders of reads, writes and atomics. A program that asks for one of them gets all.
inline constexpr std::uint64_t access_order =
    FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_WAR | FI_ORDER_WAW | FI_ORDER_RMA_RAR | FI_ORDER_RMA_RAW | FI_ORDER_RMA_WAR |
    FI_ORDER_RMA_WAW | FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW;

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags, const fi_info* hints,
             fi_info** found);

}  // namespace ayatori::fabric
