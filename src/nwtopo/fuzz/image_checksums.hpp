#pragma once
/// \file
/// Puts the checksums of an image right, also that of the image inside it, as somebody would who forges one.

#include <cstddef>
#include <cstring>
#include <span>

#include "image_layout.hpp"
#include "image_topology.hpp"

inline void put_checksum_right(std::span<std::byte> image) {
  if (image.size() < ayatori::image::checked_from) return;
  const std::uint64_t right = ayatori::image_checksum(image);
  std::memcpy(image.data() + offsetof(ayatori::image::Header, checksum), &right, sizeof right);
}

inline void put_checksums_right(std::span<std::byte> image) {
  ayatori::image::Header header;
  if (image.size() >= sizeof header) {
    std::memcpy(&header, image.data(), sizeof header);
    const auto [offset, count] = header.sections[static_cast<std::size_t>(ayatori::image::Section::transit)];
    if (offset <= image.size() && count <= image.size() - offset) put_checksum_right(image.subspan(offset, count));
  }
  put_checksum_right(image);
}
