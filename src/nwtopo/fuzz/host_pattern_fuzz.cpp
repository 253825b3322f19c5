#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host_pattern.hpp"

/// The first line is a pattern, the rest a description. What is found lies within the description.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), size);
  const std::string_view description = text.substr(std::min(end + 1, size));
  const auto read = ayatori::compile_host_pattern(text.substr(0, end));
  if (!read) return 0;
  const std::string_view host = (*read)(description).host;
  const bool within =
      host.data() >= description.data() && host.data() + host.size() <= description.data() + description.size();
  if (!host.empty() && !within) std::abort();
  return 0;
}
