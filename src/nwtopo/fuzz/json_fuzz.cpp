// JSON of any bytes: a network that is written and read again without a difference, or a one-line error.

#include <fmt/core.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../sources/json/network_text_fixtures.hpp"
#include "ayatori/json/json.hpp"

using namespace ayatori;

namespace {

/// Ports are what a few bytes of file can ask for in plenty; the product of digits is far more than a fuzzer should
/// make.
bool asks_for_much(std::string_view text) {
  std::uint64_t sum = 0;
  std::uint64_t number = 0;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit && number <= 65535) sum += number;
    number = is_digit ? std::min<std::uint64_t>(10 * number + static_cast<std::uint64_t>(c - '0'), 1 << 20) : 0;
  }
  return sum > 1 << 19;
}

std::string written(const Network& network) {
  std::string text;
  if (!write_json(network, [&](std::string_view piece) { text += piece; })) std::abort();
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (asks_for_much(text)) return 0;
  const auto network = parse_json(text, "fuzz");
  if (!network) {
    if (network.error().message.empty()) std::abort();
    return 0;
  }
  // A file may list nodes in any order; what we write is in the order of the ids.
  const auto again = parse_json(written(*network), "written");
  if (again && network_text(*again) == network_text(*network)) return 0;
  fmt::print(stderr, "differs: {}\n{}\n", again ? "" : again.error().message, written(*network));
  std::abort();
}
