#define XXH_INLINE_ALL
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ayatori/base/files.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/image.hpp"
#include "image_draft.hpp"
#include "image_topology.hpp"

namespace ayatori {

namespace {

/// A file's pages, as long as somebody reads them.
class Mapping {
 public:
  Mapping(void* start, std::size_t size) : start_(start), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(start_, size_); }

 private:
  void* start_;
  std::size_t size_;
};

/// More than 2^32 objects and links take.
constexpr std::size_t max_cache_bytes = std::size_t{1} << 38;

Result<ImageBytes> map_file(const std::filesystem::path& path) {
  const auto unreadable = [&](std::string_view why) { return fail("can't read {}: {}", path.string(), why); };
  // Not blocking: opening a pipe that nobody writes to would never return.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return with_code(unreadable(std::strerror(errno)), errno);
  struct stat status{};
  std::array<char, image::magic.size()> start{};
  const bool is_file = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const bool is_cache = is_file && ::pread(file, start.data(), start.size(), 0) == ssize_t{start.size()} &&
                        start == image::magic && static_cast<std::uint64_t>(status.st_size) <= max_cache_bytes;
  const auto size = static_cast<std::size_t>(status.st_size);
  // All pages at once: the checksum reads every one of them.
  void* pages = is_cache ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0) : MAP_FAILED;
  const int error = errno;
  ::close(file);
  if (!is_file) return unreadable("it is not a regular file");
  if (!is_cache) return fail("{}: this is not a topology cache", path.string());
  if (pages == MAP_FAILED) return with_code(unreadable(std::strerror(error)), error);
  return ImageBytes{std::make_shared<Mapping>(pages, size), {static_cast<const std::byte*>(pages), size}, true};
}

Result<std::vector<std::byte>> bytes_of(const Topology& topology) {
  if (const auto bytes = image_bytes(topology); !bytes.empty()) return std::vector(bytes.begin(), bytes.end());
  if (const GridFormula* formula = formula_of(topology)) return write_formula(*formula);
  auto draft = draft_of(topology);
  if (!draft) return Failure(draft.error());
  if (const TopologyPtr transit = topology.transit()) {
    auto inner = cache_bytes(*transit);
    if (!inner) return inner;
    draft->transit = std::move(*inner);
  }
  return write_image(*draft);
}

}  // namespace

std::uint64_t image_checksum(std::span<const std::byte> bytes) {
  const auto checked = bytes.subspan(image::checked_from);
  return XXH3_64bits(checked.data(), checked.size());
}

Result<TopologyPtr> make_image_topology(const Network& network) {
  auto bytes = write_image(draft_of(network));
  if (!bytes) return Failure(bytes.error());
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
  return topology_of({kept, *kept, false}, "image", false);
}

Result<std::vector<std::byte>> cache_bytes(const Topology& topology) {
  auto bytes = bytes_of(topology);
  if (!bytes) return bytes;
  const std::uint64_t checksum = image_checksum(*bytes);
  std::memcpy(bytes->data() + offsetof(image::Header, checksum), &checksum, sizeof checksum);
  return bytes;
}

Result<> write_cache(const Topology& topology, const std::filesystem::path& path) {
  const auto bytes = cache_bytes(topology);
  if (!bytes) return Failure(bytes.error());
  return write_file(path, std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
}

Result<TopologyPtr> open_cache(const std::filesystem::path& path) {
  auto bytes = map_file(path);
  if (!bytes) return Failure(bytes.error());
  return topology_of(std::move(*bytes), path.string(), true);
}

Result<TopologyPtr> open_image(std::span<const std::byte> bytes, std::string_view name) {
  return topology_of({nullptr, bytes, true}, name, true);
}

Result<TopologyPtr> copy_image(std::span<const std::byte> bytes, std::string_view name) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  return topology_of({kept, *kept, false}, name, true);
}

}  // namespace ayatori
