/// Files of running jobs: no input may crash the reader, and what it accepts survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ayatori/artefacts/running_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto file = parse_running_file({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) {
    if (!file.error().message.starts_with("fuzz:") || file.error().message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  const auto again = parse_running_file(running_file_text(*file), "fuzz");
  if (!again || again->lmc != file->lmc || again->devices != file->devices || again->jobs != file->jobs) std::abort();
  return 0;
}
