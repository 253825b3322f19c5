#pragma once
/// \file
/// Backoff between two polls: a process spins while an answer is likely within microseconds, then yields, and sleeps
/// once it has waited for milliseconds.

#include <cstdint>

namespace ayatori {

/// Hints to the core that it is in a spin loop.
inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class Backoff {
 public:
  enum class Step : std::uint8_t { spun, yielded, slept };

  /// `oversubscribed`: more processes want to run here than there are cores. Spinning would keep from running the one
  /// that is waited for.
  Step wait(bool oversubscribed);

 private:
  std::uint32_t spins_ = 0;
  std::uint32_t yields_ = 0;
  std::uint32_t sleeps_ = 0;
};

}  // namespace ayatori
