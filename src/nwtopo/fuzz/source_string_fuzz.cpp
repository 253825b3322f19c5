// Source strings: a network of the size that was asked for, or an error. Kinds that read files are left out.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "ayatori/network/shape.hpp"
#include "ayatori/sources/source.hpp"
#include "require.hpp"

using namespace ayatori;

namespace {

/// Product of all numbers in the text: no formula makes more nodes, but for those that raise a number to a power.
double size_bound(std::string_view text) {
  double bound = 1;
  double number = 0;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) bound *= std::max(number, 1.0);
    number = is_digit ? 10 * number + (c - '0') : 0;
  }
  bound *= std::max(number, 1.0);
  if (text.starts_with("hypercube")) return std::exp2(std::min(bound, 64.0));
  if (text.starts_with("tofu")) return 12 * bound;  // a group of 2x3x2 for each of X, Y, Z
  const double fourth_power = bound * bound * bound * bound;
  if (text.starts_with("dragonfly")) return 8 * fourth_power;  // 2h^2 + 1 groups of 2h routers with h hosts each
  return text.starts_with("fattree") ? fourth_power : bound;
}

/// Whatever is read from a file has a fuzz target of its own.
bool names_a_file(std::string_view source) {
  const auto kind = std::ranges::find(source_kinds(), source.substr(0, source.find(':')), &SourceKind::kind);
  return kind != source_kinds().end() && kind->synopsis.find("FILE") != std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  constexpr double affordable = 1 << 13;
  if (names_a_file(source) || size_bound(source) > affordable) return 0;
  const auto network = open_source(source);
  if (!network) {
    require(!network.error().message.empty());
    return 0;
  }
  require(network->device_count() > 0);
  const Shape shape = recognise(*network);
  require(!shape.summary.empty());
  require(shape.machines == network->machines().size());
  return 0;
}
