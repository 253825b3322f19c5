/// Calibrations: no input may crash the reader, and what it accepts survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ayatori/artefacts/calibration.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto calibration = parse_calibration({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!calibration) {
    if (!calibration.error().message.starts_with("fuzz:") ||
        calibration.error().message.find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  const auto again = parse_calibration(calibration_text(*calibration), "fuzz");
  if (!again || *again != *calibration) std::abort();
  return 0;
}
