#define XXH_INLINE_ALL
#include "checksum.hpp"

#include <xxhash.h>

#include "ayatori/base/files.hpp"

namespace ayatori::plugin {

std::uint64_t checksum_of(const std::string& path) {
  const auto contents = read_file(path);
  return contents ? XXH3_64bits(contents->data(), contents->size()) : 0;
}

}  // namespace ayatori::plugin
