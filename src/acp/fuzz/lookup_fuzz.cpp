// Questions and answers about addresses, and what launchers pass on: any bytes are refused, or written again they are
// the same. Sealed datagrams of strangers are refused.

#include <algorithm>
#include <cstdint>

#include "ayatori/secret/seal.hpp"
#include "exchange.hpp"
#include "lookup_message.hpp"
#include "require.hpp"

using namespace ayatori;
using namespace ayatori::wires;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if (const auto card = read_card(bytes)) {
    require(!card->addresses.empty() && std::ranges::equal(written(*card), bytes));
    const HostAddress own[] = {loopback()};
    require(reachable(own, *card).has_value());
    require(launch::bytes_of(launch::hex_of(bytes)) == written(*card));
  }
  if (const auto message = read_lookup_message(bytes)) require(std::ranges::equal(written(*message), bytes));
  static Seal seal(DerivedKey{}, 1, 1);
  const auto opened = seal.open(bytes);
  require(!opened || opened->contents.size() == size - seal_bytes);
  return 0;
}
