#pragma once
/// \file
/// An explicit network as one block of bytes without pointers: the same in memory, in a cache file, and mapped
/// read-only by every process of a node. At most 128 bytes a host, links included.

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// The objects of a Network, by its recognised shape (shape.hpp):
///   tree    machines under leaves under spines; no object above the roots
///   grid    a grid over the routers; in a direct network (Network::direct) over the machines themselves
///   full    a full object over the routers, or machines, likewise
///   other   a graph object over all routers, which lists their edges; trees per plane stay trees
/// Machines without a cable have no parents. Aggregation engines are not objects.
[[nodiscard]] Result<TopologyPtr> make_image_topology(const Network& network);

/// Writes a Topology of any kind as a cache file: whole or not at all. The file has a magic number, version, byte
/// order, size and a checksum over all of it (docs/cache-format.md).
[[nodiscard]] Result<> write_cache(const Topology& topology, const std::filesystem::path& path);

/// What write_cache writes, as bytes in memory.
[[nodiscard]] Result<std::vector<std::byte>> cache_bytes(const Topology& topology);

/// Maps a cache file. Errors name the file and what does not fit: not a cache, another version, another byte order, cut
/// off, checksum, records that contradict each other. A file that changes while it is mapped was not written by
/// write_cache, which renames.
[[nodiscard]] Result<TopologyPtr> open_cache(const std::filesystem::path& path);

/// The same from bytes in memory, which must outlive the Topology (fuzzing, tests).
[[nodiscard]] Result<TopologyPtr> open_image(std::span<const std::byte> bytes, std::string_view name);

/// The same from a copy of bytes that may begin at any address and change afterwards.
[[nodiscard]] Result<TopologyPtr> copy_image(std::span<const std::byte> bytes, std::string_view name);

}  // namespace ayatori
