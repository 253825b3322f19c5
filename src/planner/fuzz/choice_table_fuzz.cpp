/// Choice tables: no input may crash the reader, and what it accepts answers for every size and survives being written
/// and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ayatori/artefacts/choice_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const auto table = parse_choice_table({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!table) {
    if (!table.error().message.starts_with("fuzz:") || table.error().message.find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  for (const CollectiveChoice& choice : table->collectives) {
    for (const Bytes asked : {Bytes{0}, choice.sampled.front(), choice.sampled.back(), Bytes{1} << 62}) {
      const SizeInterval* found = table->find(choice.collective, asked);
      if (found == nullptr || found->first > asked || (found->last && *found->last < asked)) std::abort();
    }
  }
  const auto again = parse_choice_table(choice_table_text(*table), "fuzz");
  if (!again || *again != *table) std::abort();
  return 0;
}
