#include "shm_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ayatori::wires {

namespace fs = std::filesystem;

namespace {

/// Removes a file whose process is dead; false if the process lives. The lock is held meanwhile, so that a file which
/// took the name since then is not removed.
bool remove_if_stale(const fs::path& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return errno == ENOENT;
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) return false;
  struct stat opened{};
  if (fstat(file.number(), &opened) != 0 || opened.st_ino != inode_of(path)) return true;
  return unlink(path.c_str()) == 0;
}

}  // namespace

Result<Mapping> Mapping::of(const Descriptor& file, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return refused(fmt::format("{} bytes of shared memory can't be mapped", bytes), errno);
  return Mapping(std::span(static_cast<std::byte*>(memory), bytes));
}

Mapping::~Mapping() {
  if (!memory_.empty()) munmap(memory_.data(), memory_.size());
}

Result<OwnShmFile> OwnShmFile::make(const fs::path& path, std::size_t bytes) {
  const fs::path folder = path.parent_path();
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.is_open()) return refused(fmt::format("{}: no shared memory can be made there", folder.native()), errno);
  // If the memory were not allocated now, a full folder would be a SIGBUS later.
  if (const int error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes)); error != 0) {
    return with_hint(
        refused(fmt::format("{}: no room for {} KiB of shared memory", folder.native(), bytes / 1024), error),
        "make the folder larger (mount -o remount,size=…), or the ring smaller");
  }
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    return refused(fmt::format("{}: files can't be locked there", folder.native()), errno);
  }
  auto mapping = Mapping::of(file, bytes);
  if (!mapping) return Failure(mapping.error());
  return OwnShmFile(path, std::move(file), std::move(*mapping));
}

OwnShmFile::OwnShmFile(fs::path path, Descriptor file, Mapping mapping)
    : path_(std::move(path)), file_(std::move(file)), mapping_(std::move(mapping)) {}

OwnShmFile::~OwnShmFile() { withdraw(); }

void OwnShmFile::withdraw() {
  if (file_.is_open() && std::exchange(published_, false)) unlink(path_.c_str());
}

Result<> OwnShmFile::publish() {
  const std::string nameless = fmt::format("/proc/self/fd/{}", file_.number());
  while (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    const int error = errno;
    if (error != EEXIST) return refused(fmt::format("{} can't be made", path_.native()), error);
    if (!remove_if_stale(path_)) return refused(fmt::format("{}: a living process has it", path_.native()), error);
  }
  published_ = true;
  return {};
}

Result<OpenShmFile> open_shm_file(const fs::path& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat found{};
  if (!file.is_open() || fstat(file.number(), &found) != 0) {
    return refused(fmt::format("{} can't be opened", path.native()), errno);
  }
  if (found.st_size == 0) return fail("{}: it is empty", path.native());
  auto mapping = Mapping::of(file, static_cast<std::size_t>(found.st_size));
  if (!mapping) return Failure(mapping.error());
  return OpenShmFile{std::move(*mapping), found.st_ino};
}

ino_t inode_of(const fs::path& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

void remove_stale(const fs::path& folder, const std::string& prefix) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().native().starts_with(prefix)) remove_if_stale(entry.path());
  }
}

}  // namespace ayatori::wires
