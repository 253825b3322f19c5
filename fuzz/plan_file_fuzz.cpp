// Plans of the simulated network: anything is read or refused with a line, and what is read is in range.

#include <cstdlib>

#include "ayatori/simulated/plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = ayatori::simulated::parse_plan({reinterpret_cast<const char*>(data), size}, "input");
  if (plan ? !check(*plan) : plan.error().message.empty()) std::abort();
  return 0;
}
