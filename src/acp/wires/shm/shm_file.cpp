#include "ayatori/shm/shm_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "ayatori/shm/private_folder.hpp"

namespace ayatori::wires {

namespace fs = std::filesystem;

namespace {

std::string target_of(const fs::path& link) {
  std::array<char, 256> text{};
  const ssize_t size = readlink(link.c_str(), text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(size > 0 ? size : 0)};
}

/// Whether the link leads to something of ours. The number of a dead process may be another one's by now, which has
/// something else there.
bool is_alive(const fs::path& link) {
  const std::string target = target_of(target_of(link));
  return target.starts_with("/memfd:ayatori") || target.starts_with("pipe:");
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

Result<PublishedDescriptor> PublishedDescriptor::make(const fs::path& link, int descriptor) {
  PublishedDescriptor made;
  const std::string target = fmt::format("/proc/{}/fd/{}", getpid(), descriptor);
  for (;;) {
    // In a folder of somebody else, others would find what somebody else wants them to.
    if (auto folder = make_private_folder(link.parent_path()); !folder) return Failure(folder.error());
    if (symlink(target.c_str(), link.c_str()) == 0) break;
    const int error = errno;
    if (error == ENOENT) continue;  // removed meanwhile, as that of a job that is over
    if (error != EEXIST) return refused(fmt::format("{} can't be made", link.native()), error);
    if (is_alive(link)) return refused(fmt::format("{}: a living process has it", link.native()), EADDRINUSE);
    unlink(link.c_str());
  }
  made.link_ = link;
  made.target_ = target;
  return made;
}

void PublishedDescriptor::withdraw() {
  if (!link_.empty() && target_of(link_) == target_) unlink(link_.c_str());
  link_.clear();
}

Result<OwnShmFile> OwnShmFile::make(const fs::path& link, std::size_t bytes) {
  Descriptor file(memfd_create("ayatori", MFD_CLOEXEC));
  if (!file.is_open()) return refused("no shared memory can be made", errno);
  // If the memory were not allocated now, a lack of it would be a SIGBUS later.
  if (const int error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes)); error != 0) {
    return refused(fmt::format("no room for {} KiB of shared memory", bytes / 1024), error);
  }
  auto mapping = Mapping::of(file, bytes);
  if (!mapping) return Failure(mapping.error());
  return OwnShmFile(link, std::move(file), std::move(*mapping));
}

OwnShmFile::OwnShmFile(fs::path link, Descriptor file, Mapping mapping)
    : link_(std::move(link)), file_(std::move(file)), mapping_(std::move(mapping)) {}

Result<> OwnShmFile::publish() {
  auto made = PublishedDescriptor::make(link_, file_.number());
  if (!made) return Failure(made.error());
  published_ = std::move(*made);
  return {};
}

Result<OpenShmFile> open_shm_file(const fs::path& link) {
  const Descriptor file(open(link.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat found{};
  if (!file.is_open() || fstat(file.number(), &found) != 0) {
    return refused(fmt::format("{} can't be opened", link.native()), errno);
  }
  if (!S_ISREG(found.st_mode) || found.st_uid != geteuid()) return fail("{}: it is not this user's", link.native());
  if (found.st_size == 0) return fail("{}: it is empty", link.native());
  auto mapping = Mapping::of(file, static_cast<std::size_t>(found.st_size));
  if (!mapping) return Failure(mapping.error());
  return OpenShmFile{std::move(*mapping), found.st_ino};
}

ino_t inode_of(const fs::path& link) {
  struct stat found{};
  return stat(link.c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace ayatori::wires
