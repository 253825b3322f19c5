/// Pattern files: no input may crash the reader, and what it accepts keeps its guarantees.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ayatori/schedule/pattern.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr ayatori::Rank ranks = 16;
  const auto steps = ayatori::parse_pattern({reinterpret_cast<const char*>(data), size}, "fuzz", ranks);
  if (!steps) {
    if (steps.error().message.empty() || steps.error().message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  std::vector<ayatori::Message> messages;
  for (std::size_t s = 0; s < (*steps)->step_count(); ++s) {
    (*steps)->step(s, messages);
    if (messages.empty()) std::abort();
    for (const ayatori::Message& m : messages) {
      if (m.from >= ranks || m.to >= ranks || m.bytes == 0) std::abort();
    }
  }
  return 0;
}
