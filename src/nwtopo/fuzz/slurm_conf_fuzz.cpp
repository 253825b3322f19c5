// topology.conf of any bytes: a network that can be written and read again, or a one-line error.

#include <cstddef>
#include <cstdint>

#include "slurm_round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto network = ayatori::parse_slurm_conf(text, "fuzz")) ayatori::check_slurm_round_trip(*network);
  return 0;
}
