#include "ayatori/bounded/buffers.hpp"

#include <new>

namespace ayatori::wires {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::align_val_t page{4096};

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

Buffers::Buffers(std::uint32_t count, std::size_t bytes)
    : count_(count),
      bytes_(bytes),
      apart_(rounded_up(bytes, cache_line)),
      size_(rounded_up(count * apart_, static_cast<std::size_t>(page))),
      memory_(new(page) std::byte[size_]) {}

void Buffers::Free::operator()(std::byte* memory) const { operator delete[](memory, page); }

}  // namespace ayatori::wires
