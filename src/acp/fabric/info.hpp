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
inline constexpr std::uint32_t address_format = FI_PROV_SPECIFIC | 0x61;

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags, const fi_info* hints,
             fi_info** found);

}  // namespace ayatori::fabric
