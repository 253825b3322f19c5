#pragma once
/// \file
/// A file descriptor that is closed with its owner.

#include <utility>

#include "ayatori/base/error.hpp"

namespace ayatori::wires {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}  ///< takes over `number`; -1 is none
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// What a system call refused, with errno as cause and code; the fault is ours, not the user's.
[[nodiscard]] Failure refused(std::string what, int code);

}  // namespace ayatori::wires
