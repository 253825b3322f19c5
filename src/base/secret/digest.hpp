#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ayatori {

/// What a function of nettle 3 or 4 makes of a context: it fills `made`, whose size is that of the whole digest. nettle
/// 4 no longer takes the size.
template <typename Context, std::size_t size>
void digest(void (*function)(Context*, std::size_t, std::uint8_t*), Context& context,
            std::array<std::byte, size>& made) {
  function(&context, size, reinterpret_cast<std::uint8_t*>(made.data()));
}

template <typename Context, std::size_t size>
void digest(void (*function)(Context*, std::uint8_t*), Context& context, std::array<std::byte, size>& made) {
  function(&context, reinterpret_cast<std::uint8_t*>(made.data()));
}

}  // namespace ayatori
