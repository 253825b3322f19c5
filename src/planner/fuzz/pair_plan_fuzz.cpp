/// Path bits of pairs: no input may crash the reader, and what it accepts survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ayatori/artefacts/pair_plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view contents(reinterpret_cast<const char*>(data), size);
  const auto plan = ayatori::parse_pair_plan(contents, "fuzz");
  if (!plan) {
    if (plan.error().message.empty() || plan.error().message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  std::string written;
  ayatori::write_pair_plan(*plan, [&](std::string_view piece) { written += piece; });
  if (written.size() > size) std::abort();
  const auto again = ayatori::parse_pair_plan(written, "fuzz");
  if (!again || again->rank_count() != plan->rank_count()) std::abort();
  for (std::size_t i = 0; i < plan->all_path_bits().size(); ++i) {
    if (plan->all_path_bits()[i] != again->all_path_bits()[i]) std::abort();
  }
  return 0;
}
