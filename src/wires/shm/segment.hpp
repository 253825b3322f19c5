#pragma once
/// \file
/// A piece of memory that processes of one node share: a file in a folder of tmpfs. It appears under its name whole, is
/// locked (flock(2)) as long as its maker lives, and goes when that ends; what a killed process left is told by the
/// missing lock.

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>

#include "ayatori/pollable/descriptor.hpp"

namespace ayatori::wires {

/// Memory of a file, unmapped with its owner.
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

class OwnSegment {
 public:
  /// Zeroed memory that has no name yet. Errors: the folder can't be written to, or is full.
  [[nodiscard]] static Result<OwnSegment> make(const std::filesystem::path& path, std::size_t bytes);
  OwnSegment(OwnSegment&&) = default;
  OwnSegment& operator=(OwnSegment&&) = delete;
  ~OwnSegment();

  /// Lets others find it; what a dead process left under the name goes. Error: a living one has it.
  [[nodiscard]] Result<> publish();

  void withdraw();                         ///< takes its name away
  void disown() { file_ = Descriptor(); }  ///< see PollableWire

  [[nodiscard]] std::span<std::byte> bytes() const { return mapping_.bytes(); }

 private:
  OwnSegment(std::filesystem::path path, Descriptor file, Mapping mapping);

  std::filesystem::path path_;
  Descriptor file_;
  Mapping mapping_;
  bool published_ = false;
};

struct FoundSegment {
  Mapping mapping;
  ino_t file = 0;  ///< tells it from a later one of the same name
};

/// Another process's segment. Error: with code ENOENT if there is none now.
[[nodiscard]] Result<FoundSegment> find_segment(const std::filesystem::path& path);

/// The file that has the name now; 0 if none.
[[nodiscard]] ino_t file_named(const std::filesystem::path& path);

/// Removes what dead processes of this user left in a folder under names that start with `prefix`.
void remove_stale(const std::filesystem::path& folder, const std::string& prefix);

}  // namespace ayatori::wires
