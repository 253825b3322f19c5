// Files without their kind: which kinds their content may have, or what they are instead.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "ayatori/sources/source.hpp"
#include "content.hpp"
#include "require.hpp"

using namespace ayatori;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view name : kinds_of_text(text)) {
    const auto kind = std::ranges::find(source_kinds(), name, &SourceKind::kind);
    require(kind != source_kinds().end() && !kind->reads.empty());  // only kinds that read files
  }
  const auto other = other_content(text);
  require(!other || (!other->what.empty() && !other->remedy.empty()));
  return 0;
}
