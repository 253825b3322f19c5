#include <cstddef>
#include <cstdint>

#include "infiniband_round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto network = ayatori::parse_ibnetdiscover(text, "fuzz", "")) ayatori::check_round_trip(*network);
  return 0;
}
