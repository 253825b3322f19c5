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
  names,          ///< char: all names in a row
  name_ends,      ///< u32: end of each object's name, then of each plane's
  name_order,     ///< u32: machines and routers sorted by name
  ids,            ///< u64: id of each object; empty if ids are 0, 1, 2, …
  objects,        ///< Object: one each, and one behind the last
  others,         ///< Other: what there is to say of objects that are no machines
  by_height,      ///< u32: objects that are no machines, by height, then id
  height_ends,    ///< u32: end of each height from 1 on in by_height
  links,          ///< Link: by object, then in the order of Topology::link
  neighbours,     ///< u16: which link leads to each child, then to each parent; aligned with links
  owners,         ///< u32: whose link every owner_stride-th one is
  classes,        ///< LinkClass
  groups,         ///< Group: the virtual objects
  group_of,       ///< u32: group above each object, or none; empty if there are no groups
  members,        ///< u32: objects in each group, by rising id
  member_points,  ///< u32: point of each member of a grid
  by_point,       ///< u32: members of a grid, as positions in its part of members, by rising point
  dimensions,     ///< Dimension
};
inline constexpr std::size_t section_count = static_cast<std::size_t>(Section::dimensions) + 1;

enum class Form : std::uint32_t {
  explicit_network = 0,
  formula = 1,         ///< a grid by formula; it has names (or none), planes, classes and dimensions only
  direct_network = 2,  ///< explicit, and machines have their routers built in
};

struct Extent {
  std::uint64_t offset = 0;  ///< bytes from the start of the header; a multiple of 8
  std::uint64_t count = 0;   ///< records
};

struct Header {
  std::array<char, 8> magic = image::magic;
  std::uint32_t byte_order = image::byte_order;
  std::uint32_t version = image::version;
  std::uint64_t checksum = 0;  ///< XXH3, 64 bits, seed 0, of all bytes behind this field
  std::uint64_t size = 0;      ///< of all, in bytes
  Form form = Form::explicit_network;
  std::uint32_t machines = 0;
  std::uint32_t objects = 0;
  std::uint32_t planes = 0;
  std::array<Extent, section_count> sections;
};

struct Object {
  std::uint32_t first_link = 0;
  std::uint16_t below = 0;  ///< NICs of a machine, children of a router
  std::uint16_t above = 0;  ///< parents that links lead to
};

struct Other {
  std::uint16_t height = 0;
  std::uint16_t kind = 0;  ///< ObjectKind
};

/// A directed link. Its way back is the link that leaves the port it leads to: that tells the object and port there.
struct Link {
  std::uint32_t back = 0;
  std::uint16_t port = 0;
  std::uint16_t link_class = 0;
};

/// Finding the owner of a link takes a search among so many.
inline constexpr std::uint32_t owner_stride = 32;

struct LinkClass {
  std::uint32_t megabits = 0;
  std::uint32_t latency = 0;
  std::uint16_t plane = 0;
  std::uint8_t width = 0;
  std::uint8_t speed = 0;
  std::uint8_t state = 0;
  std::uint8_t degraded = 0;
  std::uint16_t zero = 0;

  friend auto operator<=>(const LinkClass&, const LinkClass&) = default;
};

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
static_assert(sizeof(Header) == 48 + 16 * section_count && sizeof(Object) == 8 && sizeof(Other) == 4);
static_assert(sizeof(Link) == 8 && sizeof(LinkClass) == 16 && sizeof(Group) == 24 && sizeof(Dimension) == 16);
inline constexpr std::size_t checked_from = offsetof(Header, checksum) + sizeof(Header::checksum);

}  // namespace ayatori::image
