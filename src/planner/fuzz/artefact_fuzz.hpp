#pragma once
/// \file
/// What holds of every artefact: no input may crash its reader, an error is one line that names the file, and what is
/// accepted survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ayatori {

/// `parse(text, file)` gives a Result, `text_of(artefact)` its text; `check(artefact)` aborts for one that breaks other
/// guarantees.
template <typename Parse, typename TextOf, typename Check>
int fuzz_artefact(const std::uint8_t* data, std::size_t size, Parse parse, TextOf text_of, Check check) {
  const auto artefact = parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!artefact) {
    const std::string& message = artefact.error().message;
    if (!message.starts_with("fuzz:") || message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  check(*artefact);
  const auto again = parse(text_of(*artefact), "fuzz");
  if (!again || *again != *artefact) std::abort();
  return 0;
}

template <typename Parse, typename TextOf>
int fuzz_artefact(const std::uint8_t* data, std::size_t size, Parse parse, TextOf text_of) {
  return fuzz_artefact(data, size, parse, text_of, [](const auto&) {});
}

}  // namespace ayatori
