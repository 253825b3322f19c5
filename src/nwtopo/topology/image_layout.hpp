#pragma once
/// \file
/// How an image lies in memory and in a cache file (docs/cache-format.md): a header, then arrays of little records that
/// refer to each other by index. Machines are the first objects, then all others by rising id.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ayatori::image {

inline constexpr std::array<char, 8> magic = {'n', 'w', 't', 'o', 'p', 'o', '\r', '\n'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint32_t byte_order = 0x01020304;
inline constexpr std::uint32_t none = ~std::uint32_t{0};

enum class Section : std::uint8_t {
  names,               ///< char: all names in a row
  name_end_blocks,     ///< NumberBlock: end of each object's name, each plane's, each NIC device's, and of each warning
  name_end_entries,    ///< u8: of those blocks
  name_order_blocks,   ///< NumberBlock: machines and routers sorted by name
  name_order_entries,  ///< u8
  ids,                 ///< u64: id of each object; empty if ids are 0, 1, 2, …
  first_link_blocks,   ///< NumberBlock: first link of each object, and the end
  first_link_entries,  ///< u8
  below_blocks,        ///< NumberBlock: MachineKind of each machine, number of children of each router
  below_entries,       ///< u8
  above_blocks,        ///< NumberBlock: number of parents that links lead to; has_list added if the object is in listed
  above_entries,       ///< u8
  others,              ///< Other: height and kind of objects that are not machines
  by_height_blocks,    ///< NumberBlock: objects that are not machines, by height, then id
  by_height_entries,   ///< u8
  height_ends,         ///< u32: end of each height from 1 on in by_height
  link_blocks,         ///< NumberBlock: index of the link back; by object, then in the order of Topology::link
  link_entries,        ///< u8: of those blocks
  kind_blocks,         ///< NumberBlock: kind of each link
  kind_entries,        ///< u8
  owners,              ///< u32: whose link every owner_stride-th one is
  kinds,               ///< LinkKind
  listed,              ///< u32: objects whose relatives are not reached by their first links in order
  list_starts,         ///< u32: where the list of each begins in neighbours, and the end
  neighbour_blocks,    ///< NumberBlock: which of the object's links lead to its children, then to its parents
  neighbour_entries,   ///< u8
  machine_kinds,       ///< MachineKind
  nic_kinds,           ///< NicKind: of the machine kinds
  nic_starts,          ///< u32: number of NICs before every nic_stride-th machine
  guid_blocks,         ///< GuidBlock: guid_stride GUIDs each, of all NICs by machine, then of all routers
  guid_offsets,        ///< u32
  wide_guids,          ///< u64
  groups,              ///< Group: the virtual objects
  group_starts,        ///< u32: where the groups above each object begin in groups_above, and the end; empty: no groups
  groups_above,        ///< u32: numbers of groups, rising for each object
  members,             ///< u32: objects in each group, by rising id
  member_points,       ///< u32: point of each member of a grid
  by_point,            ///< u32: members of a grid, as positions in its part of members, by rising point
  dimensions,          ///< Dimension
  transit,             ///< u8: an image of Topology::transit; empty if there is none
  plane_uses,          ///< u8: PlaneUse::bits of each plane; empty: all carry everything
};
inline constexpr std::size_t section_count = static_cast<std::size_t>(Section::plane_uses) + 1;

enum class Form : std::uint32_t {
  explicit_network = 0,
  formula = 1,         ///< a grid by formula; it has names (or none), planes, kinds and dimensions only
  direct_network = 2,  ///< explicit, and machines have their routers built in
};

/// How numbers are packed (packed_numbers.hpp).
struct NumberFormat {
  std::uint8_t entry_bits = 0;
  std::uint8_t block_bits = 0;  ///< a block has 2^block_bits numbers
};

struct NumberBlock {
  std::uint32_t start = 0;
  std::uint32_t pattern = 1;  ///< the period in the lowest 7 bits, and the stride
};

struct Extent {
  std::uint64_t offset = 0;  ///< bytes from the start of the header; a multiple of 8
  std::uint64_t count = 0;   ///< records
};

struct Header {
  std::array<char, 8> magic = image::magic;
  std::uint32_t byte_order = image::byte_order;
  std::uint32_t version = image::version;
  std::uint64_t checksum = 0;  ///< XXH3, 64 bits, seed 0, of all bytes after this field
  std::uint64_t size = 0;      ///< of all, in bytes
  Form form = Form::explicit_network;
  std::uint32_t machines = 0;
  std::uint32_t objects = 0;
  std::uint32_t planes = 0;
  std::uint32_t devices = 0;  ///< names of NIC devices
  std::uint32_t nics = 0;
  std::uint32_t warnings = 0;
  std::uint32_t links = 0;
  NumberFormat link_format;
  NumberFormat kind_format;
  NumberFormat neighbour_format;
  NumberFormat name_end_format;
  NumberFormat name_order_format;
  NumberFormat first_link_format;
  NumberFormat below_format;
  NumberFormat above_format;
  NumberFormat by_height_format;
  NumberFormat zeros;
  std::uint32_t names = 0;  ///< in name_order
  std::array<Extent, section_count> sections;
};

/// Two neighbouring sections that hold packed numbers, and where the header says how those are packed.
struct NumberSections {
  Section blocks;
  NumberFormat Header::* format;

  [[nodiscard]] constexpr Section entries() const {
    return static_cast<Section>(static_cast<std::uint8_t>(blocks) + 1);
  }
};
namespace numbers {
inline constexpr NumberSections name_end = {Section::name_end_blocks, &Header::name_end_format};
inline constexpr NumberSections name_order = {Section::name_order_blocks, &Header::name_order_format};
inline constexpr NumberSections first_link = {Section::first_link_blocks, &Header::first_link_format};
inline constexpr NumberSections below = {Section::below_blocks, &Header::below_format};
inline constexpr NumberSections above = {Section::above_blocks, &Header::above_format};
inline constexpr NumberSections by_height = {Section::by_height_blocks, &Header::by_height_format};
inline constexpr NumberSections link = {Section::link_blocks, &Header::link_format};
inline constexpr NumberSections kind = {Section::kind_blocks, &Header::kind_format};
inline constexpr NumberSections neighbour = {Section::neighbour_blocks, &Header::neighbour_format};
}  // namespace numbers

inline constexpr std::uint16_t has_list = 0x8000;

/// Objects of a program are created parent by parent, recursively: heights bound the depth of the recursion.
inline constexpr std::size_t max_heights = 1024;

struct Other {
  std::uint16_t height = 0;
  std::uint16_t kind = 0;  ///< ObjectKind
};

/// Finding the owner of a link takes a search among so many.
inline constexpr std::uint32_t owner_stride = 32;

inline constexpr std::uint16_t no_nic_number = 0xFFFF;

/// What many directed links have in common. The far end of a link follows from the link back: its owner, port and NIC.
struct LinkKind {
  std::uint32_t megabits = 0;
  std::uint32_t latency = 0;
  std::uint16_t plane = 0;
  std::uint16_t port = 0;
  std::uint16_t nic = no_nic_number;  ///< number of the machine's NIC that the port is on
  std::uint8_t width = 0;
  std::uint8_t speed = 0;
  std::uint8_t state = 0;
  std::uint8_t degraded = 0;
  std::uint16_t zero = 0;

  friend auto operator<=>(const LinkKind&, const LinkKind&) = default;
};

/// Machines with as many NICs of the same rails, planes and device names.
struct MachineKind {
  std::uint32_t first_nic = 0;  ///< in nic_kinds
  std::uint32_t nics = 0;
};

struct NicKind {
  std::uint16_t rail = 0;
  std::uint16_t plane = 0;
  std::uint32_t device = none;  ///< name, or none

  friend auto operator<=>(const NicKind&, const NicKind&) = default;
};

inline constexpr std::uint32_t nic_stride = 32;

/// GUID i of a block is base + stride · i, or base + guid_offsets[start + i], or wide_guids[start - wide_start + i].
struct GuidBlock {
  std::uint64_t base = 0;
  std::uint32_t stride = 0;
  std::uint32_t start = none;  ///< none: by the stride
};
inline constexpr std::uint32_t guid_stride = 32;
inline constexpr std::uint32_t wide_start = 0x8000'0000;

struct Group {
  std::uint32_t object = 0;
  std::uint32_t first_member = 0;
  std::uint32_t members = 0;
  std::uint32_t first_dimension = 0;
  std::uint32_t dimensions = 0;
  std::uint32_t dense = 0;
};

struct Dimension {
  std::uint32_t length = 0;
  std::uint32_t periodic = 0;
  std::uint32_t reference = 0;
  std::uint32_t whole = 0;  ///< GridShape::whole
};

// What is read by another compiler must be what this one wrote.
static_assert(sizeof(Header) == 88 + 16 * section_count && sizeof(NumberBlock) == 8);
static_assert(sizeof(Other) == 4);
static_assert(sizeof(LinkKind) == 20 && sizeof(MachineKind) == 8 && sizeof(NicKind) == 8 && sizeof(GuidBlock) == 16);
static_assert(sizeof(Group) == 24 && sizeof(Dimension) == 16);
inline constexpr std::size_t checked_from = offsetof(Header, checksum) + sizeof(Header::checksum);

}  // namespace ayatori::image
