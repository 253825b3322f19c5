#include "starter_memory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ayatori::acp {

namespace {

/// Opens the file of all processes of the host, which the first of them makes. Between open and flock, a process that
/// removes the files of dead processes may have removed it: then it is made again.
Result<Descriptor> open_locked(const std::filesystem::path& name) {
  for (;;) {
    Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file.is_open()) return refused(fmt::format("{} can't be opened", name.string()), errno);
    if (flock(file.number(), LOCK_SH) != 0) {
      if (errno == EINTR) continue;
      return refused(fmt::format("{} can't be locked", name.string()), errno);
    }
    struct stat found{};
    if (fstat(file.number(), &found) == 0 && found.st_nlink > 0) return file;
  }
}

/// Opens the file and makes it large enough. The part of this process is allocated, so that a full /dev/shm is an error
/// now and not a SIGBUS later.
Result<Descriptor> open_file(const std::filesystem::path& name, Bytes size, Bytes own_start, Bytes own_size) {
  auto locked = open_locked(name);
  if (!locked) return locked;
  Descriptor file = std::move(*locked);
  if (ftruncate(file.number(), static_cast<off_t>(size)) != 0) {
    return refused(fmt::format("{} can't have {} bytes", name.string(), size), errno);
  }
  const int error = posix_fallocate(file.number(), static_cast<off_t>(own_start), static_cast<off_t>(own_size));
  if (error != 0) return refused(fmt::format("{} has no room for {} bytes more", name.string(), own_size), error);
  return file;
}

}  // namespace

Result<StarterMemory> StarterMemory::make(std::uint64_t key, Rank rank, std::uint32_t count, Bytes each) {
  StarterMemory made;
  const std::uint32_t own = rank % count;
  if (count > 1) {
    // Hosts that are containers of one machine may see one /dev/shm.
    made.name_ = fmt::format("/dev/shm/ayatori-starter-{:016x}-{}", key, rank / count);
    auto opened = open_file(made.name_, count * each, own * each, each);
    if (!opened) return Failure(opened.error());
    made.locked_ = std::move(*opened);
  }
  const int flags = count > 1 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* start = mmap(nullptr, count * each, PROT_READ | PROT_WRITE, flags, made.locked_.number(), 0);
  if (start == MAP_FAILED) return refused(fmt::format("no {} bytes of starter memory can be mapped", each), errno);
  made.all_ = {static_cast<std::byte*>(start), count * each};
  made.own_ = made.all_.subspan(count > 1 ? own * each : 0, each);
  return made;
}

StarterMemory::StarterMemory(StarterMemory&& other) noexcept { *this = std::move(other); }

StarterMemory& StarterMemory::operator=(StarterMemory&& other) noexcept {
  std::swap(all_, other.all_);
  std::swap(own_, other.own_);
  std::swap(name_, other.name_);
  std::swap(locked_, other.locked_);
  return *this;
}

void StarterMemory::forget_name() {
  if (!name_.empty()) unlink(name_.c_str());
  name_.clear();
  locked_ = Descriptor();
}

StarterMemory::~StarterMemory() {
  forget_name();
  if (!all_.empty()) munmap(all_.data(), all_.size());
}

}  // namespace ayatori::acp
