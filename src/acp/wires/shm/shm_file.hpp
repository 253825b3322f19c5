#pragma once
/// \file
/// Memory that the processes of one machine share: a shm file, that is a file in a folder of tmpfs. It gets its name
/// when it is complete, is locked (flock(2)) as long as the process that made it lives, and is removed when that
/// process ends. The file of a killed process is recognised by the missing lock.

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>

#include "ayatori/base/descriptor.hpp"

namespace ayatori::wires {

/// The memory of a file, unmapped by the destructor.
class Mapping {
 public:
  Mapping() = default;
  [[nodiscard]] static Result<Mapping> of(const Descriptor& file, std::size_t bytes);
  Mapping(Mapping&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~Mapping();

  [[nodiscard]] std::span<std::byte> bytes() const { return memory_; }

 private:
  explicit Mapping(std::span<std::byte> memory) : memory_(memory) {}
  std::span<std::byte> memory_;
};

class OwnShmFile {
 public:
  /// Zeroed memory that has no name yet. Errors: the folder can't be written to, or is full.
  [[nodiscard]] static Result<OwnShmFile> make(const std::filesystem::path& path, std::size_t bytes);
  OwnShmFile(OwnShmFile&&) = default;
  OwnShmFile& operator=(OwnShmFile&&) = delete;
  ~OwnShmFile();

  /// Gives the file its name, so that others find it; replaces the file of a dead process. Error: a living process has
  /// a file of this name.
  [[nodiscard]] Result<> publish();

  void withdraw();                         ///< removes the name; those who have it open keep it
  void disown() { file_ = Descriptor(); }  ///< see PollableWire

  [[nodiscard]] std::span<std::byte> bytes() const { return mapping_.bytes(); }

 private:
  OwnShmFile(std::filesystem::path path, Descriptor file, Mapping mapping);

  std::filesystem::path path_;
  Descriptor file_;
  Mapping mapping_;
  bool published_ = false;
};

struct OpenShmFile {
  Mapping mapping;
  ino_t inode = 0;  ///< distinguishes it from a later file of the same name
};

/// Maps the file of another process. Error: with code ENOENT if there is no such file now.
[[nodiscard]] Result<OpenShmFile> open_shm_file(const std::filesystem::path& path);

/// The inode of the file that has the name now; 0 if there is none.
[[nodiscard]] ino_t inode_of(const std::filesystem::path& path);

/// Removes the files in a folder whose names start with `prefix` and which dead processes of this user made.
void remove_stale(const std::filesystem::path& folder, const std::string& prefix);

}  // namespace ayatori::wires
