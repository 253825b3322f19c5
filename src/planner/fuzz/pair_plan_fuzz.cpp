/// Path bits of pairs (artefact_fuzz.hpp): what is written is no larger than what was read.

#include "artefact_fuzz.hpp"
#include "ayatori/artefacts/pair_plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto written = [](const Plan& plan) {
    std::string bytes;
    write_pair_plan(plan, [&](std::string_view piece) { bytes += piece; });
    return bytes;
  };
  return fuzz_artefact(data, size, parse_pair_plan, written, [&](const Plan& plan) {
    if (written(plan).size() > size) std::abort();
  });
}
