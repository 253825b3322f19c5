/// Plans of source ports (artefact_fuzz.hpp).

#include "artefact_fuzz.hpp"
#include "ayatori/artefacts/roce_plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ayatori::fuzz_artefact(data, size, ayatori::parse_roce_plan_file, ayatori::roce_plan_file_text);
}
