#include "ayatori/base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ayatori {

namespace {

Result<SharedMemory> mapped(Descriptor file, const struct stat& found) {
  const auto bytes = static_cast<std::size_t>(found.st_size);
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (start == MAP_FAILED) return refused(fmt::format("{} bytes of shared memory can't be mapped", bytes), errno);
  return SharedMemory{{static_cast<std::byte*>(start), {bytes}}, std::move(file), found.st_ino};
}

}  // namespace

void Unmap::operator()(std::byte* start) const { munmap(start, bytes); }

Result<SharedMemory> make_shared_memory(std::size_t bytes, Pages pages) {
  Descriptor file(memfd_create("ayatori", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const auto size = static_cast<off_t>(bytes);
  struct stat found{};
  int error = file.is_open() ? 0 : errno;
  if (error == 0 && pages == Pages::at_once) error = posix_fallocate(file.number(), 0, size);
  // Nobody can make it smaller afterwards, which would be a SIGBUS for the others.
  if (error == 0 &&
      (ftruncate(file.number(), size) != 0 || fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
       fstat(file.number(), &found) != 0)) {
    error = errno;
  }
  if (error != 0) return refused(fmt::format("{} KiB of memory can't be shared", bytes / 1024), error);
  return mapped(std::move(file), found);
}

Result<SharedMemory> open_shared_memory(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));  // a pipe must not block
  struct stat found{};
  if (!file.is_open() || fstat(file.number(), &found) != 0) {
    return refused(fmt::format("{} can't be opened", path), errno);
  }
  if (!S_ISREG(found.st_mode) || found.st_uid != geteuid()) return fail("{}: it is not this user's", path);
  if (found.st_size == 0) return fail("{}: it is empty", path);
  auto memory = mapped(std::move(file), found);
  if (memory) memory->file = {};
  return memory;
}

std::string path_of(pid_t process, int descriptor) { return fmt::format("/proc/{}/fd/{}", process, descriptor); }

}  // namespace ayatori
