#pragma once
/// \file
/// How others find the memory of a process (ayatori/base/shared_memory.hpp): a symbolic link in a private folder leads
/// to its descriptor. The link of a dead process leads nowhere.

#include <filesystem>
#include <string>

#include "ayatori/base/shared_memory.hpp"

namespace ayatori::wires {

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
    memory_.file = Descriptor();
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return memory_.bytes(); }

 private:
  OwnShmFile(std::filesystem::path link, SharedMemory memory) : link_(std::move(link)), memory_(std::move(memory)) {}

  std::filesystem::path link_;
  SharedMemory memory_;
  PublishedDescriptor published_;
};

/// The inode of the memory that the link leads to; 0 if there is none.
[[nodiscard]] ino_t inode_of(const std::filesystem::path& link);

}  // namespace ayatori::wires
