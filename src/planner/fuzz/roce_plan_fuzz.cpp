/// Plans of source ports: no input may crash the reader, and what it accepts survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ayatori/artefacts/roce_plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto file = parse_roce_plan_file({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) {
    if (!file.error().message.starts_with("fuzz:") || file.error().message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  const auto again = parse_roce_plan_file(roce_plan_file_text(*file), "fuzz");
  if (!again || again->hash != file->hash || again->reason != file->reason || again->ports != file->ports ||
      again->source_ports != file->source_ports)
    std::abort();
  return 0;
}
