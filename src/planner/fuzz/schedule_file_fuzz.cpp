/// Files of schedules: no input may crash the reader or make it take more than its limits, and what it accepts survives
/// being written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ayatori/artefacts/schedule_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto file = parse_schedule_file({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) {
    if (!file.error().message.starts_with("fuzz:") || file.error().message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  const std::string text = schedule_file_text(*file);
  const auto again = parse_schedule_file(text, "fuzz");
  if (!again || schedule_file_text(*again) != text) std::abort();
  for (const WrittenWithSizes& schedule : file->schedules) {
    // The smallest size that is not 0, if it is among the first: what is right for all sizes is right for this one.
    const WrittenHead& head = schedule.algorithm->head();
    CollectiveCall call{head.collective, head.ranks, head.root, 1};
    while (call.bytes < 100 && !schedule.sizes.admit(call.bytes)) ++call.bytes;
    if (head.collective == Collective::alltoallv || !schedule.sizes.admit(call.bytes)) continue;
    const auto made = schedule_of(schedule.algorithm, call);
    if (!made || !verify(**made)) std::abort();
  }
  return 0;
}
