/// The settings of the plug-in: no environment may crash their reader, and what it accepts is a choice that can be said
/// again. An invalid option is reported in one line.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ayatori/tuning/settings.hpp"
#include "require.hpp"

namespace {

void check_choice(ayatori::MpiCall call, const ayatori::ForcedChoice& choice) {
  std::string words = choice.algorithm.empty() ? "mpi" : choice.algorithm;
  if (choice.chunk_bytes > 0) words += ":chunk=" + std::to_string(choice.chunk_bytes);
  const auto again = ayatori::parse_forced_choice(call, words);
  require(again.has_value() && *again == choice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  const Settings settings = parse_settings({reinterpret_cast<const char*>(data), size});
  for (const MpiCallNames& names : mpi_calls()) {
    const auto number = static_cast<std::size_t>(names.call);
    if (settings.forced[number]) check_choice(names.call, *settings.forced[number]);
    if (settings.forced_nonblocking[number]) check_choice(names.call, *settings.forced_nonblocking[number]);
  }
  for (const std::string& complaint : settings.complaints) require(complaint.find('\n') == std::string::npos);
  return 0;
}
