/// Choice tables (artefact_fuzz.hpp): what is accepted answers for every size.

#include "artefact_fuzz.hpp"
#include "ayatori/artefacts/choice_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  return fuzz_artefact(data, size, parse_choice_table, choice_table_text, [](const ChoiceTable& table) {
    for (const CollectiveChoice& choice : table.collectives) {
      for (const Bytes asked : {Bytes{0}, choice.sampled.front(), choice.sampled.back(), Bytes{1} << 62}) {
        const SizeInterval* found = table.find(choice.collective, asked);
        if (found == nullptr || found->first > asked || (found->last && *found->last < asked)) std::abort();
      }
    }
  });
}
