#include "ayatori/shm/shm_file.hpp"

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

Result<PublishedDescriptor> PublishedDescriptor::make(const fs::path& link, int descriptor) {
  PublishedDescriptor made;
  const std::string target = path_of(getpid(), descriptor);
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
  auto memory = make_shared_memory(bytes, Pages::at_once);
  if (!memory) return Failure(memory.error());
  return OwnShmFile(link, std::move(*memory));
}

Result<> OwnShmFile::publish() {
  auto made = PublishedDescriptor::make(link_, memory_.file.number());
  if (!made) return Failure(made.error());
  published_ = std::move(*made);
  return {};
}

ino_t inode_of(const fs::path& link) {
  struct stat found{};
  return stat(link.c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace ayatori::wires
