#include "ayatori/base/time_slices.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace ayatori {

namespace {

/// sched_attr of the kernel, whose header and glibc's sched.h cannot be included together.
struct SchedulingAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime;
  std::uint64_t deadline;
  std::uint64_t period;
};

}  // namespace

void request_short_time_slices() {
  constexpr std::uint64_t slice_ns = 100'000;  // the kernel's minimum
  SchedulingAttributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  attributes.runtime = slice_ns;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace ayatori
