/// Files of running jobs (artefact_fuzz.hpp).

#include "artefact_fuzz.hpp"
#include "ayatori/artefacts/running_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ayatori::fuzz_artefact(data, size, ayatori::parse_running_file, ayatori::running_file_text);
}
