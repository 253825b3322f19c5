#pragma once
/// \file
/// The project's own file format, which loses nothing of a Network. UTF-8 JSON (RFC 8259), for programs that would
/// rather not parse ibnetdiscover; docs/json-format.md describes each key.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Opens a file. Errors of it name the file and, where the text is no JSON, the line; else the place ("nodes[3]"): an
/// unknown, missing or repeated key, a number out of range, another format or version, and all that
/// NetworkBuilder refuses.
[[nodiscard]] Result<Network> open_json(std::string_view rest);
[[nodiscard]] Result<Network> parse_json(std::string_view text, std::string_view file);

/// Writes a Network piece by piece, a node or cable a line. Read back it has the same ids throughout. Bytes of names
/// that are no UTF-8 become U+FFFD. Never fails; the Result is what the list of formats wants.
[[nodiscard]] Result<> write_json(const Network& network, const Sink& sink);

}  // namespace ayatori
