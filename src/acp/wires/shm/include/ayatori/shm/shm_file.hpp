#pragma once
/// \file
/// Memory that the processes of one machine share. It has no name (memfd_create(2)): others open the descriptor of the
/// process that made it, /proc/PID/fd/N, which the kernel lets processes of the same user do. A symbolic link in a
/// private folder says which descriptor that is. The link of a dead process leads nowhere.

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

/// Where others find a descriptor of this process: a symbolic link in a folder of this user, removed by the destructor.
class PublishedDescriptor {
 public:
  PublishedDescriptor() = default;
  PublishedDescriptor(PublishedDescriptor&& other) noexcept
      : link_(std::exchange(other.link_, {})), target_(std::exchange(other.target_, {})) {}
  PublishedDescriptor& operator=(PublishedDescriptor&& other) noexcept {
    std::swap(link_, other.link_);
    std::swap(target_, other.target_);
    return *this;
  }
  ~PublishedDescriptor() { withdraw(); }

  /// Replaces the link of a dead process, and makes the folder if there is none. Error: a living process has this link
  /// (code EADDRINUSE); the folder is another user's.
  [[nodiscard]] static Result<PublishedDescriptor> make(const std::filesystem::path& link, int descriptor);

  void withdraw();                  ///< those who have opened it keep it
  void disown() { link_.clear(); }  ///< see PollableWire

 private:
  std::filesystem::path link_;
  std::string target_;
};

class OwnShmFile {
 public:
  /// Zeroed memory that others do not find yet. Error: there is no memory.
  [[nodiscard]] static Result<OwnShmFile> make(const std::filesystem::path& link, std::size_t bytes);
  OwnShmFile(OwnShmFile&&) = default;
  OwnShmFile& operator=(OwnShmFile&&) = default;

  /// Lets others find it. Errors: as PublishedDescriptor::make().
  [[nodiscard]] Result<> publish();

  void withdraw() { published_.withdraw(); }
  void disown() {  ///< see PollableWire
    published_.disown();
    file_ = Descriptor();
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return mapping_.bytes(); }

 private:
  OwnShmFile(std::filesystem::path link, Descriptor file, Mapping mapping);

  std::filesystem::path link_;
  Descriptor file_;
  Mapping mapping_;
  PublishedDescriptor published_;
};

struct OpenShmFile {
  Mapping mapping;
  ino_t inode = 0;  ///< distinguishes it from a later one at the same link
};

/// Maps the memory of another process. Error: with code ENOENT if there is none now.
[[nodiscard]] Result<OpenShmFile> open_shm_file(const std::filesystem::path& link);

/// The inode of the memory that the link leads to; 0 if there is none.
[[nodiscard]] ino_t inode_of(const std::filesystem::path& link);

}  // namespace ayatori::wires
