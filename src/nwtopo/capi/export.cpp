// Topologies as files, and what changed between two.

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/exports/exports.hpp"
#include "ayatori/topology/diff.hpp"
#include "ayatori/topology/image.hpp"
#include "ayatori/topology/network_of.hpp"
#include "handle.hpp"

namespace ayatori::capi {

namespace {

/// The formats of Networks, and the cache, which is one of Topologies; by name.
std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names{"cache"};
  for (const ExportFormat& format : export_formats()) names.push_back(format.name);
  std::ranges::sort(names);
  return names;
}

/// The text is made first and written then: an export that fails halfway leaves no file.
Result<> export_text(const Topology& topology, std::string_view format, const char* path) {
  const auto network = network_of(topology);
  if (!network) return Failure(network.error());
  std::string text;
  const auto made = export_network(*network, format, [&](std::string_view piece) { text.append(piece); });
  if (!made) return made;
  return write_file(path, text);
}

Result<> export_topology(const Topology& topology, std::string_view format, const char* path) {
  const auto names = format_names();
  if (std::ranges::find(names, format) == names.end()) {
    return with_hint(fail("no format '{}'", format), fmt::format("formats: {}", fmt::join(names, ", ")));
  }
  return format == "cache" ? write_cache(topology, path) : export_text(topology, format, path);
}

nwtopo_diff_type_t type_of(Difference::Type type) {
  switch (type) {
    case Difference::Type::added:
      return NWTOPO_DIFF_ADDED;
    case Difference::Type::removed:
      return NWTOPO_DIFF_REMOVED;
    case Difference::Type::changed:
      break;
  }
  return NWTOPO_DIFF_CHANGED;
}

/// One block from malloc: the differences, then their texts.
nwtopo_diff* copy_out(const std::vector<Difference>& differences) {
  std::size_t bytes = differences.size() * sizeof(nwtopo_diff);
  for (const Difference& one : differences) bytes += one.name.size() + one.detail.size() + 2;
  auto* const block = static_cast<char*>(std::malloc(bytes));
  if (block == nullptr) throw std::bad_alloc();
  char* text = block + differences.size() * sizeof(nwtopo_diff);
  const auto copy_text = [&text](const std::string& from) {
    char* const copied = text;
    std::memcpy(copied, from.c_str(), from.size() + 1);
    text += from.size() + 1;
    return copied;
  };
  auto* const diffs = reinterpret_cast<nwtopo_diff*>(block);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const Difference& one = differences[i];
    const char* const name = copy_text(one.name);
    new (&diffs[i]) nwtopo_diff{type_of(one.type), one.is_link, name, copy_text(one.detail)};
  }
  return diffs;
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

int nwtopo_topology_export_file(nwtopo_topology_t topology, const char* format, const char* path) {
  return with_loaded(topology, [&](const Loaded& here) -> int {
    if (format == nullptr) return refuse(EINVAL, "the format is NULL");
    if (path == nullptr) return refuse(EINVAL, "the path is NULL");
    const auto written = export_topology(*here.topology, format, path);
    if (!written) return refuse(written.error());
    return 0;
  });
}

int nwtopo_topology_export_buffer(nwtopo_topology_t topology, void** bufferp, size_t* sizep) {
  return guarded([&]() -> int {
    if (bufferp == nullptr || sizep == nullptr) return refuse(EINVAL, "the place for the buffer or its size is NULL");
    *bufferp = nullptr;
    *sizep = 0;
    const Loaded* const here = loaded(topology);
    if (here == nullptr) return failed;
    const auto bytes = cache_bytes(*here->topology);
    if (!bytes) return refuse(bytes.error());
    void* const block = std::malloc(bytes->size());
    if (block == nullptr) throw std::bad_alloc();
    std::memcpy(block, bytes->data(), bytes->size());
    *bufferp = block;
    *sizep = bytes->size();
    return 0;
  });
}

void nwtopo_buffer_free(void* buffer) { std::free(buffer); }

long nwtopo_topology_diff(nwtopo_topology_t before, nwtopo_topology_t after, struct nwtopo_diff** diffs) {
  return guarded([&]() -> long {
    if (diffs == nullptr) return refuse(EINVAL, "the pointer to the differences is NULL");
    *diffs = nullptr;
    const Loaded* const old = loaded(before);
    const Loaded* const now = old == nullptr ? nullptr : loaded(after);
    if (now == nullptr) return failed;
    const auto differences = difference(*old->topology, *now->topology);
    if (!differences.empty()) *diffs = copy_out(differences);
    return static_cast<long>(differences.size());
  });
}

void nwtopo_diff_free(struct nwtopo_diff* diffs) { std::free(diffs); }

}  // extern "C"
