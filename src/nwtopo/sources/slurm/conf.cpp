#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "ayatori/base/text.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "described.hpp"
#include "printed.hpp"

namespace ayatori {

namespace {

using slurm::AggregatedBlock;
using slurm::Blocks;
using slurm::DescribedSwitch;
using slurm::HostLists;

struct Pair {
  std::string_view key;
  std::string_view value;
};

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_leading_blanks(std::string_view text) {
  const auto begin = std::ranges::find_if_not(text, is_blank);
  return text.substr(static_cast<std::size_t>(begin - text.begin()));
}

class ConfReader {
 public:
  ConfReader(std::string_view text, std::string_view file) : lines_(text), file_(file), hosts_(file) {}

  Result<Network> read(std::vector<std::string> warnings);

 private:
  std::optional<std::string> next_record();
  Result<> take_record(std::string_view record);
  Result<std::optional<Pair>> take_pair(std::string_view& rest) const;
  Result<> take_switch(std::string_view name, std::string_view rest);
  Result<> take_block(std::string_view name, std::string_view rest);
  Result<> take_group(std::string_view name, std::string_view rest);
  Result<> take_block_pairs(std::string_view rest, std::vector<std::string>& nodes, std::uint64_t& size);
  Result<> take_sizes(std::string_view value, std::string_view rest);
  Result<> take_hosts(std::string_view key, std::string_view value, std::vector<std::string>& hosts);

  [[nodiscard]] Failure wrong(std::string what) const { return fail_at(file_, line_, std::move(what)); }

  LineReader lines_;
  std::string_view file_;
  HostLists hosts_;
  std::size_t line_ = 0;  // where the current record begins
  std::vector<DescribedSwitch> switches_;
  Blocks blocks_;
};

/// A backslash at the end of a line, before any blanks, joins the next line to it; in a comment, too, as in Slurm.
bool take_continuation(std::string& line) {
  while (!line.empty() && is_blank(line.back())) line.pop_back();
  const std::size_t backslashes = line.size() - (line.find_last_not_of('\\') + 1);
  if (backslashes % 2 == 0) return false;
  line.pop_back();
  return true;
}

std::optional<std::string> ConfReader::next_record() {
  std::string record;
  bool goes_on = false;
  while (const auto line = lines_.next()) {
    if (!goes_on) line_ = lines_.line();
    std::string piece(*line);
    goes_on = take_continuation(piece);
    record += piece;
    if (!goes_on) return record;
  }
  return goes_on ? std::optional(record) : std::nullopt;
}

Result<Network> ConfReader::read(std::vector<std::string> warnings) {
  while (const auto record = next_record()) {
    const std::string_view content = trimmed(std::string_view(*record).substr(0, record->find('#')));
    if (content.empty()) continue;
    if (auto taken = take_record(content); !taken) return Failure(taken.error());
  }
  if (!blocks_.aggregated.empty() && blocks_.blocks.empty()) {
    return fail_at(file_, blocks_.aggregated.front().line, "a group of blocks, and no 'BlockName=…' is listed");
  }
  if (!switches_.empty() && !blocks_.blocks.empty()) {
    return fail_at(file_, blocks_.blocks.front().line,
                   "the file has both blocks and switches; Slurm's plugins read one kind each");
  }
  if (!blocks_.blocks.empty()) {
    auto switches = slurm::switches_of_blocks(std::move(blocks_), file_);
    if (!switches) return Failure(switches.error());
    switches_ = std::move(*switches);
  }
  if (switches_.empty()) {
    return with_hint(fail_at(file_, 0, "expected 'SwitchName=…' or 'BlockName=…', found neither"),
                     std::string(slurm::readable_files));
  }
  return slurm::network_of_switches(switches_, file_, std::move(warnings));
}

Result<> ConfReader::take_record(std::string_view record) {
  const auto first = take_pair(record);
  if (!first) return Failure(first.error());
  const auto [key, value] = **first;
  if (same_word(key, "SwitchName")) return take_switch(value, record);
  if (same_word(key, "BlockName")) return take_block(value, record);
  if (same_word(key, "AggregatedBlock")) return take_group(value, record);
  if (same_word(key, "BlockSizes")) return take_sizes(value, record);
  if (same_word(key, "RingName")) return wrong("rings (topology/ring) are not supported");
  return wrong(fmt::format("expected 'SwitchName=…', 'BlockName=…' or 'BlockSizes=…' instead of '{}='", key));
}

/// One "Key=value" or 'Key="value"', with or without blanks around '='; nothing at the end of the record.
Result<std::optional<Pair>> ConfReader::take_pair(std::string_view& rest) const {
  rest = without_leading_blanks(rest);
  if (rest.empty()) return std::nullopt;
  const auto is_key = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_key) - rest.begin());
  const std::string_view key = rest.substr(0, end);
  std::string_view after_key = without_leading_blanks(rest.substr(end));
  if (key.empty() || !after_key.starts_with('=')) {
    return wrong(fmt::format("expected 'Key=value' instead of '{}'", rest.substr(0, 40)));
  }
  after_key = without_leading_blanks(after_key.substr(1));
  const bool quoted = after_key.starts_with('"');
  const std::size_t close =
      quoted ? after_key.find('"', 1) : std::min(after_key.find_first_of(" \t\r"), after_key.size());
  if (close == std::string_view::npos) return wrong(fmt::format("the quote after '{}=' is not closed", key));
  const std::string_view value = quoted ? after_key.substr(1, close - 1) : after_key.substr(0, close);
  if (value.empty()) return wrong(fmt::format("'{}=' has no value", key));
  rest = after_key.substr(quoted ? close + 1 : close);
  return Pair{key, value};
}

Result<> ConfReader::take_hosts(std::string_view key, std::string_view value, std::vector<std::string>& hosts) {
  if (!hosts.empty()) return wrong(fmt::format("'{}=' twice in one line", key));
  auto expanded = hosts_.expand(value, line_);
  if (!expanded) return Failure(expanded.error());
  hosts = std::move(*expanded);
  return {};
}

Result<> ConfReader::take_switch(std::string_view name, std::string_view rest) {
  DescribedSwitch found{std::string(name), {}, {}, line_};
  bool is_printed = false;
  while (true) {
    const auto pair = take_pair(rest);
    if (!pair) return Failure(pair.error());
    if (!*pair) break;
    const auto [key, value] = **pair;
    if (same_word(key, "LinkSpeed") || same_word(key, "Level")) {
      if (!parse_unsigned<std::uint32_t>(value)) return wrong(fmt::format("{} is not a number: '{}'", key, value));
      is_printed = is_printed || same_word(key, "Level");
      continue;
    }
    const bool is_nodes = same_word(key, "Nodes");
    if (!is_nodes && !same_word(key, "Switches")) {
      return wrong(fmt::format("expected 'Switches=', 'Nodes=' or 'LinkSpeed=' instead of '{}='", key));
    }
    if (auto taken = take_hosts(key, value, is_nodes ? found.nodes : found.children); !taken) return taken;
  }
  // In topology.conf a switch has nodes or children; scontrol adds the nodes below the children.
  if (is_printed && !found.children.empty()) found.below = std::exchange(found.nodes, {});
  switches_.push_back(std::move(found));
  return {};
}

/// BlockIndex and BlockSize are scontrol's.
Result<> ConfReader::take_block_pairs(std::string_view rest, std::vector<std::string>& nodes, std::uint64_t& size) {
  while (true) {
    const auto pair = take_pair(rest);
    if (!pair) return Failure(pair.error());
    if (!*pair) return {};
    const auto [key, value] = **pair;
    if (same_word(key, "Nodes")) {
      if (auto taken = take_hosts("Nodes", value, nodes); !taken) return taken;
      continue;
    }
    const bool is_size = same_word(key, "BlockSize");
    if (!is_size && !same_word(key, "BlockIndex")) return wrong(fmt::format("expected 'Nodes=' instead of '{}='", key));
    const auto number = parse_unsigned<std::uint32_t>(value);
    if (!number) return wrong(fmt::format("{} is not a number: '{}'", key, value));
    if (is_size) size = *number;
  }
}

Result<> ConfReader::take_block(std::string_view name, std::string_view rest) {
  DescribedSwitch found{std::string(name), {}, {}, line_};
  std::uint64_t size = 0;
  if (auto taken = take_block_pairs(rest, found.nodes, size); !taken) return taken;
  blocks_.blocks.push_back(std::move(found));
  return {};
}

Result<> ConfReader::take_group(std::string_view name, std::string_view rest) {
  AggregatedBlock found{.name = std::string(name), .blocks = {}, .nodes = {}, .line = line_};
  if (auto taken = take_hosts("AggregatedBlock", name, found.blocks); !taken) return taken;
  if (auto taken = take_block_pairs(rest, found.nodes, found.size); !taken) return taken;
  blocks_.aggregated.push_back(std::move(found));
  return {};
}

Result<> ConfReader::take_sizes(std::string_view value, std::string_view rest) {
  if (!without_leading_blanks(rest).empty()) return wrong("expected nothing after BlockSizes");
  if (!blocks_.sizes.empty()) return wrong("BlockSizes is given twice");
  blocks_.line = line_;
  for (const std::string_view text : split(value, ',')) {
    const auto size = parse_unsigned<std::uint64_t>(text);
    if (!size) return wrong(fmt::format("expected BlockSizes like 30,120 instead of '{}'", value));
    blocks_.sizes.push_back(*size);
  }
  return {};
}

}  // namespace

Result<Network> parse_slurm_conf(std::string_view text, std::string_view file) {
  if (!slurm::is_printed(text)) return ConfReader(text, file).read({});
  auto printed = slurm::read_terminal(text, file);
  auto network = ConfReader(printed.text, file).read(std::move(printed.warnings));
  if (network || !network.error().hint.empty()) return network;
  return with_hint(Failure(network.error()), "save it without a terminal: scontrol show topology > FILE");
}

}  // namespace ayatori
