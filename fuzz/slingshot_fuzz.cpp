// Lists of xnames: a network with machines, or an error that names the file.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ayatori/slingshot/slingshot.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto network = ayatori::parse_slingshot(text, "fuzz");
  if (network) {
    require(!network->machines().empty());
  } else {
    require(network.error().message.starts_with("fuzz:"));
  }
  return 0;
}
