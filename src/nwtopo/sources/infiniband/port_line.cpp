#include "port_line.hpp"

#include <optional>

#include "cursor.hpp"
#include "report_text.hpp"

namespace ayatori {

namespace {

using Reading = std::expected<void, Mismatch>;

std::unexpected<Mismatch> expect(std::string_view what, std::string_view found) {
  return std::unexpected(Mismatch{what, found});
}

/// "[12]", and in grouped output "[12][ext 3]".
std::optional<PortNumber> read_port_number(Cursor& at) {
  if (!at.accept('[')) return std::nullopt;
  const auto number = at.number<PortNumber>();
  if (!number || !at.accept(']')) return std::nullopt;
  if (at.accept("[ext ") && !(at.number<unsigned>() && at.accept(']'))) return std::nullopt;
  return number;
}

Reading read_port_guid(Cursor& at, Guid& guid) {
  if (!at.skip_spaces().accept('(')) return {};
  const auto number = at.guid();
  if (!number || !at.accept(')')) return expect("a port's GUID and ')'", at.rest());
  guid = *number;
  return {};
}

/// Reads "s=4 w=2 v=4", in any order, up to the comment. They give the rate if the comment has none.
Reading read_fields(Cursor& at, ReportedEnd& end) {
  unsigned width = 0;
  unsigned speed = 0;
  while (!at.skip_spaces().at_end() && !at.at('#')) {
    const std::string_view found = at.rest();
    Cursor field(at.word());
    const bool is_width = field.accept("w=");
    const bool is_speed = !is_width && field.accept("s=");
    if (!is_width && !is_speed) continue;  // "v=4", "(scp)", "slot 4" are not needed
    const auto value = field.number<unsigned>();
    if (!value || !field.at_end()) return expect("a number after '='", found);
    (is_width ? width : speed) = *value;
  }
  end.rate = rate_of_fields(width, speed);
  return {};
}

/// lid 647 lmc 0
Reading read_own_lid(Cursor& at, ReportedEnd& end) {
  if (!at.skip_spaces().accept("lid ")) return {};
  const auto lid = at.number<Lid>();
  if (!lid) return expect("a LID", at.rest());
  end.lid = *lid;
  if (!at.skip_spaces().accept("lmc ")) return {};
  const auto lmc = at.number<std::uint8_t>();
  if (!lmc) return expect("an LMC", at.rest());
  end.lmc = *lmc;
  return {};
}

/// The neighbour's own record has its description, so that this copy is skipped.
Reading skip_description(Cursor& at) {
  const std::string_view rest = at.skip_spaces().rest();
  if (const auto quote = rest.find('"'); quote != std::string_view::npos) {
    at = Cursor(rest.substr(quote));
    if (!at.quoted_to_last()) return expect("the neighbour's description in quotes", at.rest());
  } else if (const auto lid = rest.rfind("lid "); lid != std::string_view::npos) {
    at = Cursor(rest.substr(lid));
  }
  return {};
}

/// "4xNDR", or question marks where ibnetdiscover did not know the code. With -f, fields repeat it in numbers.
Reading read_rate(Cursor& at, ReportedEnd& end) {
  const std::string_view found = at.skip_spaces().rest();
  const bool is_left_out = found.empty() || std::string_view("swv(").contains(found.front());
  if (is_left_out) return read_fields(at, end);
  const std::string_view word = at.word();
  if (word.contains('?')) return {};
  const auto rate = parse_link_rate(word);
  if (!rate) return expect("a link rate such as 4xNDR", found);
  end.rate = *rate;
  return {};
}

/// # lid 647 lmc 0 "host-1 mlx5_0" lid 73 4xNDR
Reading read_comment(Cursor& at, bool is_router, ReportedEnd& end) {
  if (!is_router) {
    if (auto read = read_own_lid(at, end); !read) return read;
  }
  if (auto read = skip_description(at); !read) return read;
  if (!at.skip_spaces().accept("lid ")) return {};
  const auto lid = at.number<Lid>();
  if (!lid) return expect("the neighbour's LID", at.rest());
  end.peer_lid = *lid;
  return read_rate(at, end);
}

/// [1](e09d7303007a4bd8)  "S-2c5eab0300b87b40"[1]
Reading read_ports(Cursor& at, PortLine& line) {
  const auto port = read_port_number(at);
  if (!port) return expect("a port number in brackets", at.rest());
  line.end.port = *port;
  if (auto read = read_port_guid(at, line.end.guid); !read) return read;
  const auto peer = at.skip_spaces().quoted();
  if (!peer || peer->empty()) return expect("the id of the neighbour in quotes", at.rest());
  line.peer = *peer;
  const auto peer_port = read_port_number(at.skip_spaces());
  if (!peer_port) return expect("the neighbour's port number in brackets", at.rest());
  line.end.peer_port = *peer_port;
  Guid ignored = 0;  // the neighbour's own record has it
  return read_port_guid(at, ignored);
}

}  // namespace

std::expected<PortLine, Mismatch> read_port_line(std::string_view text, bool is_router) {
  Cursor at(text);
  PortLine line;
  if (auto read = read_ports(at, line); !read) return std::unexpected(read.error());
  if (auto read = read_fields(at, line.end); !read) return std::unexpected(read.error());
  if (!at.accept('#')) return line;
  if (auto read = read_comment(at, is_router, line.end); !read) return std::unexpected(read.error());
  return line;
}

}  // namespace ayatori
