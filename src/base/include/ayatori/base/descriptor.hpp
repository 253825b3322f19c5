#pragma once
/// \file
/// A file descriptor that the destructor closes, and the failures of system calls.

#include <string>
#include <utility>

#include "ayatori/base/error.hpp"

namespace ayatori {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}  ///< takes ownership; -1: there is none
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  /// As close(2), which may report that an earlier write has failed: 0, or -1 and errno.
  int close();

 private:
  int number_ = -1;
};

/// The failure of a system call, with `code` (errno) as cause and code; not to be blamed on the user.
[[nodiscard]] Failure refused(std::string what, int code);

}  // namespace ayatori
