// Scenarios of the simulated network: anything is read or refused with a line, and what is read is in range.

#include <cstdlib>

#include "ayatori/simulated/scenario_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scenario = ayatori::simulated::parse_scenario({reinterpret_cast<const char*>(data), size}, "input");
  if (scenario ? !check(*scenario) : scenario.error().message.empty()) std::abort();
  return 0;
}
