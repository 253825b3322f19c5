#include "ayatori/network/host_aliases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ayatori/base/text.hpp"
#include "ayatori/network/host_name.hpp"
#include "host_lookup.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_names = std::size_t{1} << 20;

std::vector<std::string_view> words_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    words.push_back(line.substr(0, line.find_first_of(" \t\f\v")));
    line.remove_prefix(words.back().size());
  }
  return words;
}

bool has_control_character(std::string_view line) {
  return std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_loopback(std::string_view name) { return name.starts_with("127.") || name == "::1"; }

/// Names of a file, those of one host in one group.
class AliasReader {
 public:
  explicit AliasReader(KnownHosts& hosts) : hosts_(hosts) {}

  [[nodiscard]] Result<> read_line(std::string_view line);
  /// The names that the hosts do not have already.
  [[nodiscard]] std::vector<OtherName> other_names();

 private:
  struct Name {
    std::size_t above = 0;              // another name of the group, or itself
    std::optional<std::uint64_t> host;  // of a group, if this is its first name
    std::string_view as_written;        // in the text
  };

  [[nodiscard]] std::size_t number_of(std::string_view name);
  [[nodiscard]] std::size_t first_of(std::size_t name);
  [[nodiscard]] Result<> join(std::size_t a, std::size_t b);

  KnownHosts& hosts_;
  std::unordered_map<std::string, std::size_t> numbers_;  // by name in small letters
  std::vector<Name> names_;
};

std::size_t AliasReader::number_of(std::string_view name) {
  const auto [number, is_new] = numbers_.try_emplace(folded_host_name(name), names_.size());
  if (is_new) names_.push_back({names_.size(), hosts_.find(name), name});
  return number->second;
}

std::size_t AliasReader::first_of(std::size_t name) {
  while (names_[name].above != name) name = names_[name].above = names_[names_[name].above].above;
  return name;
}

Result<> AliasReader::join(std::size_t a, std::size_t b) {
  Name& one = names_[first_of(a)];
  Name& other = names_[first_of(b)];
  if (&one == &other) return {};
  if (one.host && other.host && *one.host != *other.host) {
    const std::size_t common = hosts_.name(*other.host) == names_[b].as_written ? a : b;
    return fail("'{}' stands for two hosts: '{}' and '{}'", names_[common].as_written, hosts_.name(*one.host),
                hosts_.name(*other.host));
  }
  if (!one.host) one.host = other.host;
  other.above = one.above;
  return {};
}

Result<> AliasReader::read_line(std::string_view line) {
  const auto words = words_in(line);
  if (words.empty() || is_loopback(words.front())) return {};
  if (std::ranges::any_of(words, has_control_character)) return fail("a control character in a name");
  const std::size_t first = number_of(words.front());
  for (const std::string_view word : words) {
    if (auto joined = join(first, number_of(word)); !joined) return joined;
    if (names_.size() > max_names) return fail("more than {} names", max_names);
  }
  return {};
}

std::vector<OtherName> AliasReader::other_names() {
  std::vector<OtherName> found;
  for (std::size_t name = 0; name < names_.size(); ++name) {
    const auto host = names_[first_of(name)].host;
    const std::string_view written = names_[name].as_written;
    if (!host || is_guid(written) || written == hosts_.name(*host)) continue;
    found.push_back({std::string(written), *host});
  }
  return found;
}

class HostsOfNetwork final : public KnownHosts {
 public:
  explicit HostsOfNetwork(const Network& network) : network_(network), lookup_(network) {}

  std::optional<std::uint64_t> find(std::string_view name) override { return lookup_.find_by_any_name(name); }
  std::string name(std::uint64_t host) const override { return network_.machine(static_cast<MachineId>(host)).name; }

 private:
  const Network& network_;
  HostLookup lookup_;
};

}  // namespace

Result<std::vector<OtherName>> read_other_names(KnownHosts& hosts, std::string_view text, std::string_view file) {
  AliasReader reader(hosts);
  LineReader lines(text);
  while (const auto line = lines.next()) {
    if (auto read = reader.read_line(*line); !read) return fail_at(file, lines.line(), read.error().message);
  }
  return reader.other_names();
}

Result<Network> with_aliases(Network network, std::string_view text, std::string_view file) {
  HostsOfNetwork hosts(network);
  auto names = read_other_names(hosts, text, file);
  if (!names) return Failure(names.error());
  for (OtherName& other : *names) network.add_alias({std::move(other.name), static_cast<MachineId>(other.host)});
  return network;
}

}  // namespace ayatori
