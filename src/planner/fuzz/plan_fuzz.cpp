/// Plans as JSON: no input may crash the reader, and what it accepts survives being written and read again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ayatori/artefacts/pair_plan_file.hpp"
#include "ayatori/artefacts/plan_file.hpp"

namespace ayatori {
namespace {

/// Every plan's companion has the paths of three ranks.
Result<std::string> companion(std::string_view) {
  std::string bytes;
  write_pair_plan(Plan::per_pair(3, {0, 1, 2, 3, 4, 5, 6, 7, 0}), [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace
}  // namespace ayatori

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto file = parse_plan_file({reinterpret_cast<const char*>(data), size}, "fuzz", companion);
  if (!file) {
    if (!file.error().message.starts_with("fuzz:") || file.error().message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  const auto again = parse_plan_file(plan_file_text(*file, "c.pairs"), "fuzz", companion);
  if (!again || again->machines != file->machines || again->ranks != file->ranks || again->lmc != file->lmc ||
      again->reason != file->reason || again->plan.method() != file->plan.method() ||
      !std::ranges::equal(again->plan.all_path_bits(), file->plan.all_path_bits())) {
    std::abort();
  }
  return 0;
}
