#include "ayatori/shm/private_folder.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "ayatori/base/descriptor.hpp"

namespace ayatori::wires {

namespace fs = std::filesystem;

namespace {

constexpr const char* parent = "/dev/shm";

/// From one pid namespace, as a container has it, all links of another one lead nowhere, those of living processes too.
ino_t own_pid_namespace() {
  struct stat found{};
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

std::string prefix() { return fmt::format("ayatori-{}-{}-", geteuid(), own_pid_namespace()); }

enum class Found : std::uint8_t { nothing, private_folder, something_else };

Found look_at(const fs::path& folder) {
  struct stat found{};
  if (lstat(folder.c_str(), &found) != 0) return errno == ENOENT ? Found::nothing : Found::something_else;
  const bool is_private =
      S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_private ? Found::private_folder : Found::something_else;
}

}  // namespace

fs::path folder_of_job(std::uint64_t key) { return fs::path(parent) / fmt::format("{}{:016x}", prefix(), key); }

Result<> make_private_folder(const fs::path& folder) {
  Found found = Found::nothing;
  while (found == Found::nothing) {  // another process may remove it meanwhile, since it is empty
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      return refused(fmt::format("{} can't be made", folder.native()), errno);
    }
    found = look_at(folder);
  }
  if (found == Found::private_folder) return {};
  return with_hint(with_code(fail("{} must be a folder that only this user may enter", folder.native()), EACCES),
                   "remove it, or ask its owner to");
}

void remove_if_over(const fs::path& folder) {
  if (look_at(folder) != Found::private_folder) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_symlink(ignored) && !fs::exists(entry.path(), ignored)) unlink(entry.path().c_str());
  }
  rmdir(folder.c_str());
}

void remove_stale_folders() {
  std::error_code ignored;
  const std::string begin = prefix();
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (entry.path().filename().native().starts_with(begin)) remove_if_over(entry.path());
  }
}

}  // namespace ayatori::wires
