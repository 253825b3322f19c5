#pragma once
/// \file
/// The project's own file format, which keeps all of a Network. UTF-8 JSON (RFC 8259); docs/json-format.md describes
/// each key.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Opens a file. Errors name the file, and the line if the text is not valid JSON, else the place ("nodes[3]"). Errors
/// are: an unknown, missing or repeated key, a number out of range, another format or version, and all that
/// NetworkBuilder refuses.
[[nodiscard]] Result<Network> open_json(std::string_view rest);
/// The same for a text; `file` names it in errors.
[[nodiscard]] Result<Network> parse_json(std::string_view text, std::string_view file);

/// Writes a Network piece by piece, one device or cable per line. Reading it back gives the same ids. Bytes of names
/// that are not UTF-8 become U+FFFD. Never fails; it returns a Result because the list of formats expects one.
[[nodiscard]] Result<> write_json(const Network& network, const Sink& sink);

}  // namespace ayatori
