// Lists of Aries tiles: a network with machines, or an error that names the file.

#include <cstdint>
#include <string_view>

#include "ayatori/aries/aries.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_machines_or_error(ayatori::parse_aries(text, "fuzz"));
  return 0;
}
