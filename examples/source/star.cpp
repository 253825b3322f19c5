// The source "star:FILE": hosts on one switch, one per line: HOST [RATE]. docs/adding-a-source.md explains this file.

#include <algorithm>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"

namespace ayatori {

struct StarHost {
  std::string_view name;
  LinkRate rate;
};

/// Parses one line; errors name the file and the line.
Result<StarHost> parse_star_line(std::string_view line, std::string_view file, std::size_t number) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  StarHost host{line.substr(0, blank), {}};
  const std::string_view word = trimmed(line.substr(blank));
  if (word.empty()) return host;
  const auto rate = parse_link_rate(word);
  if (!rate) return fail_at(file, number, fmt::format("expected a rate like 25Gbit/s instead of '{}'", word));
  host.rate = *rate;
  return host;
}

/// `file` names the text in errors: tests and fuzzers call this without a file.
Result<Network> parse_star(std::string_view text, std::string_view file) {
  std::vector<StarHost> hosts;
  LineReader lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = trimmed(*line);
    if (content.empty() || content.starts_with('#')) continue;
    const auto host = parse_star_line(content, file, lines.line());
    if (!host) return Failure(host.error());
    hosts.push_back(*host);
  }
  if (hosts.empty() || hosts.size() > 1024) return fail("{}: expected 1 to 1024 hosts", file);

  NetworkBuilder builder;
  builder.begin_plane("ethernet");
  const auto hub = builder.add_router("hub", 0, static_cast<PortNumber>(hosts.size()));
  for (PortNumber port = 1; port <= hosts.size(); ++port) {
    const StarHost& host = hosts[port - 1U];
    const auto nic = builder.add_nic(host.name, 0, 1, host.name, 0);
    if (auto connected = builder.connect(nic, 1, hub, port, host.rate); !connected) return Failure(connected.error());
  }
  return builder.build();
}

/// The entry in the list of kinds; `rest` is the text after "star:".
Result<Network> open_star(std::string_view rest) {
  if (rest.empty()) return with_hint(fail("star: no file is given"), "star:FILE (hosts, one a line)");
  const auto text = read_file(rest);
  return text ? parse_star(*text, rest) : Failure(text.error());
}

}  // namespace ayatori
