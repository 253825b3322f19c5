#include "image_reader.hpp"

#include <cstring>
#include <limits>

#include "image_topology.hpp"

namespace ayatori::image {

namespace {

constexpr std::uint64_t max_points = std::uint64_t{1} << 32;
constexpr std::size_t max_dimensions = 64;

Result<> check_header(const Header& header, std::span<const std::byte> bytes, std::string_view name) {
  if (header.magic != magic) return fail("{}: this is no topology cache", name);
  if (header.byte_order == std::byteswap(byte_order)) {
    return with_hint(fail("{}: this cache was written on a machine of the other byte order", name),
                     "write it anew on a machine of this kind");
  }
  if (header.byte_order != byte_order) return fail("{}: this is no topology cache", name);
  if (header.version != version) {
    return with_hint(fail("{}: this cache has version {}, not {}", name, header.version, version),
                     "write it anew with this release");
  }
  if (header.size != bytes.size()) {
    return fail("{}: this cache is cut off: {} bytes of {}", name, bytes.size(), header.size);
  }
  return {};
}

bool groups_fit(const Reader& reader) {
  const std::size_t first = reader.header.objects - reader.groups.size();
  for (std::size_t i = 0; i < reader.groups.size(); ++i) {
    const Group group = reader.groups[i];
    if (group.object != first + i || group.members > reader.members.size()) return false;
  }
  return true;
}

/// Whether arrays belong together in their lengths; what they say is met when it is read.
bool fits_together(const Reader& reader) {
  const Header& header = reader.header;
  const std::uint64_t objects = header.objects;
  if (header.machines > objects || objects == none || reader.name_ends.size() != objects + header.planes) return false;
  if (header.planes > std::numeric_limits<std::uint16_t>::max()) return false;
  if (header.form == Form::formula)
    return reader.classes.size() == 1 && header.planes == 1 && header.machines == objects;
  const bool has_ids = !reader.ids.empty();
  const bool has_groups = !reader.groups.empty();
  return reader.objects.size() == objects + 1 && reader.others.size() == objects - header.machines &&
         reader.by_height.size() == reader.others.size() && reader.neighbours.size() == reader.links.size() &&
         reader.owners.size() == (reader.links.size() + owner_stride - 1) / owner_stride &&
         (!has_ids || reader.ids.size() == objects) && reader.groups.size() <= reader.others.size() &&
         reader.group_of.size() == (has_groups ? objects : 0) && reader.member_points.size() <= reader.members.size() &&
         reader.by_point.size() <= reader.members.size() &&
         reader.height_ends.size() <= std::numeric_limits<std::uint16_t>::max() && groups_fit(reader);
}

}  // namespace

std::string_view Reader::name(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : name_ends[index - 1];
  const std::size_t end = name_ends[index];
  const auto part = names.part(begin, end < begin ? 0 : end - begin);
  return {part.data(), part.size()};
}

std::optional<std::uint32_t> Reader::find(std::string_view wanted) const {
  const auto order = name_order.span();
  const auto found = std::ranges::lower_bound(order, wanted, {}, [&](std::uint32_t object) { return name(object); });
  if (wanted.empty() || found == order.end() || *found >= header.objects || name(*found) != wanted) return std::nullopt;
  return *found;
}

std::vector<std::string> Reader::planes() const {
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < header.planes; ++i) found.emplace_back(name(std::size_t{header.objects} + i));
  return found;
}

Result<GridShape> Reader::shape(std::size_t first, std::size_t count, bool dense) const {
  GridShape found;
  found.dense = dense;
  std::uint64_t points = 1;
  const auto part = dimensions.part(first, count);
  if (part.size() != count || count > max_dimensions) return fail("a grid has {} dimensions", count);
  for (const Dimension& dimension : part) {
    if (dimension.length == 0 || dimension.length > max_points / points) {
      return fail("a grid has a dimension of {}", dimension.length);
    }
    points *= dimension.length;
    found.dimensions.push_back(dimension.length);
    found.periodic.push_back(dimension.periodic != 0);
    found.reference.push_back(dimension.reference);
    if (dimension.whole != 0) found.whole.push_back(dimension.whole);
  }
  if (found.whole.size() != count) found.whole.clear();
  return found;
}

Result<Reader> read(std::span<const std::byte> bytes, std::string_view name, bool check) {
  Reader reader;
  Header& header = reader.header;
  if (bytes.size() < magic.size() || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    return fail("{}: this is no topology cache", name);
  }
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (bytes.size() < checked_from) return fail("{}: this cache is cut off: {} bytes", name, bytes.size());
  if (auto checked = check_header(header, bytes, name); !checked) return Failure(checked.error());
  if (bytes.size() < sizeof header) return fail("{}: this cache is cut off: {} bytes", name, bytes.size());
  if (check && image_checksum(bytes) != header.checksum) {
    return with_hint(fail("{}: this cache is damaged: its checksum does not fit", name), "write it anew");
  }

  bool fits = true;
  const auto take = [&]<typename Record>(Section section, Array<Record>& array) {
    const Extent extent = header.sections[static_cast<std::size_t>(section)];
    fits = fits && extent.offset % alignof(std::uint64_t) == 0 && extent.offset <= bytes.size() &&
           extent.count <= (bytes.size() - extent.offset) / sizeof(Record);
    if (!fits) return;
    array = Array(std::span(reinterpret_cast<const Record*>(bytes.data() + extent.offset), extent.count));
  };
  take(Section::names, reader.names);
  take(Section::name_ends, reader.name_ends);
  take(Section::name_order, reader.name_order);
  take(Section::ids, reader.ids);
  take(Section::objects, reader.objects);
  take(Section::others, reader.others);
  take(Section::by_height, reader.by_height);
  take(Section::height_ends, reader.height_ends);
  take(Section::links, reader.links);
  take(Section::neighbours, reader.neighbours);
  take(Section::owners, reader.owners);
  take(Section::classes, reader.classes);
  take(Section::groups, reader.groups);
  take(Section::group_of, reader.group_of);
  take(Section::members, reader.members);
  take(Section::member_points, reader.member_points);
  take(Section::by_point, reader.by_point);
  take(Section::dimensions, reader.dimensions);
  if (!fits || !fits_together(reader)) return fail("{}: this cache is damaged: its sections don't fit", name);
  return reader;
}

}  // namespace ayatori::image
