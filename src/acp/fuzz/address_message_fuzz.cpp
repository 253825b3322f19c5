// What a stranger may send to the UDP port where addresses are asked for: it is refused, or written again it is the
// same.

#include <algorithm>
#include <cstdint>

#include "ayatori/lookup/address_messages.hpp"
#include "require.hpp"

using namespace ayatori::wires;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto message = read_address_message(bytes);
  if (!message) return 0;
  require(!message->address.empty() && message->address.size() <= max_address_bytes);
  require(message->address.data() + message->address.size() == bytes.data() + bytes.size());
  const auto again = written(*message);
  require(std::ranges::equal(again, bytes));
  return 0;
}
