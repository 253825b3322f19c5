#pragma once
/// \file
/// The sections of an image as arrays. Nothing outside of the bytes is ever read, whatever they say: what lies beyond
/// the end of an array reads as 0.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"
#include "image_array.hpp"
#include "image_layout.hpp"
#include "packed_numbers.hpp"

namespace ayatori::image {

struct Arrays {
  Header header;
  Array<char> names;
  PackedNumbers name_ends;
  PackedNumbers name_order;
  Array<std::uint64_t> ids;
  PackedNumbers first_links;
  PackedNumbers below;
  PackedNumbers above;
  Array<Other> others;
  PackedNumbers by_height;
  Array<std::uint32_t> height_ends;
  PackedNumbers links;
  PackedNumbers link_kinds;
  Array<std::uint32_t> owners;
  Array<LinkKind> kinds;
  Array<std::uint32_t> listed;
  Array<std::uint32_t> list_starts;
  PackedNumbers neighbours;
  Array<MachineKind> machine_kinds;
  Array<NicKind> nic_kinds;
  Array<std::uint32_t> nic_starts;
  Array<GuidBlock> guid_blocks;
  Array<std::uint32_t> guid_offsets;
  Array<std::uint64_t> wide_guids;
  Array<Group> groups;
  Array<std::uint32_t> group_starts;
  Array<std::uint32_t> groups_above;
  Array<std::uint32_t> members;
  Array<std::uint32_t> member_points;
  Array<std::uint32_t> by_point;
  Array<Dimension> dimensions;
  Array<std::byte> transit;
  Array<std::uint8_t> plane_uses;

  [[nodiscard]] std::string_view name(std::size_t index) const;
  [[nodiscard]] std::vector<std::string> names_from(std::size_t first, std::uint32_t count) const;
  /// Numbers of the groups above an object.
  [[nodiscard]] std::span<const std::uint32_t> groups_above_of(std::uint32_t object) const {
    if (group_starts.empty()) return {};
    const std::uint32_t begin = group_starts[object];
    const std::uint32_t end = group_starts[object + std::size_t{1}];
    return groups_above.part(begin, end < begin ? 0 : end - begin);
  }
  /// A machine or router.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  [[nodiscard]] std::vector<Plane> planes() const;
  [[nodiscard]] std::vector<std::string> devices() const;
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// Error: lengths that are 0 or make more than 2^31 - 1 points, more than 64 dimensions.
  [[nodiscard]] Result<GridShape> shape(std::size_t first, std::size_t count, bool dense) const;

  /// How many of a machine's links lead to parents, or of a router's to parents.
  [[nodiscard]] std::uint32_t parents(std::uint32_t object) const { return above[object] & ~has_list; }
  /// Which link of an object leads to the `place`-th of its children and parents.
  [[nodiscard]] std::uint32_t link_to_relative(std::uint32_t object, std::uint64_t place) const;
  [[nodiscard]] MachineKind machine_kind(std::uint32_t machine) const { return machine_kinds[below[machine]]; }
  /// How many NICs machines before this one have.
  [[nodiscard]] std::uint32_t nics_before(std::uint32_t machine) const;
  /// Of NICs by machine, then of routers.
  [[nodiscard]] std::uint64_t guid(std::uint64_t index) const;
};

/// Each section lies within the bytes. With `check` (not for bytes that were just written), the checksum and everything
/// that records say of each other is compared, too (check_image).
[[nodiscard]] Result<Arrays> read(std::span<const std::byte> bytes, std::string_view name, bool check);

}  // namespace ayatori::image
