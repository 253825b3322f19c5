/// Calibrations (artefact_fuzz.hpp).

#include "artefact_fuzz.hpp"
#include "ayatori/artefacts/calibration.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ayatori::fuzz_artefact(data, size, ayatori::parse_calibration, ayatori::calibration_text);
}
