/// Plans as JSON (artefact_fuzz.hpp).

#include "artefact_fuzz.hpp"
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
  const auto parse = [](std::string_view text, std::string_view file) {
    return parse_plan_file(text, file, companion);
  };
  return fuzz_artefact(data, size, parse, [](const PlanFile& file) { return plan_file_text(file, "c.pairs"); });
}
