/// Records of paths (artefact_fuzz.hpp).

#include "artefact_fuzz.hpp"
#include "ayatori/artefacts/applied_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ayatori::fuzz_artefact(data, size, ayatori::parse_applied_file, ayatori::applied_file_text);
}
