#pragma once
/// \file
/// Answers from the bytes of an image.

#include <memory>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Bytes, whoever owns them, and how they count: a mapped file is shared by the processes of a node.
struct ImageBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;  ///< 8-byte aligned
  bool shared = false;
};

/// `name` speaks in errors. All of it is compared with itself if `check`: not for bytes that were just written. Errors:
/// not an image, another version or byte order, cut off, checksum, records that contradict each other.
[[nodiscard]] Result<TopologyPtr> topology_of(ImageBytes bytes, std::string_view name, bool check);

/// The bytes of a Topology that topology_of made from an image without a formula; empty for all others.
[[nodiscard]] std::span<const std::byte> image_bytes(const Topology& topology);

/// What the header's checksum must be.
[[nodiscard]] std::uint64_t image_checksum(std::span<const std::byte> bytes);

}  // namespace ayatori
