#include "content.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string>

#include "ayatori/base/terminal_text.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/infiniband/infiniband.hpp"

namespace ayatori {

namespace {

namespace fs = std::filesystem;

/// A word with each number in it as 'N': "c0-0c0s6a0l10" is "cN-NcNsNaNlN".
std::string form_of(std::string_view word) {
  std::string form;
  for (const char c : word) {
    if (!is_digit(c)) form += c;
    if (is_digit(c) && !form.ends_with('N')) form += 'N';
  }
  return form;
}

bool any_line(std::string_view text, auto&& holds) {
  LineReader lines(text);
  while (const auto line = lines.next()) {
    if (holds(trimmed(*line))) return true;
  }
  return false;
}

bool any_word(std::string_view line, auto&& holds) {
  for (line = trimmed(line); !line.empty() && !line.starts_with('#'); line = trimmed(line)) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (holds(word)) return true;
    line.remove_prefix(word.size());
  }
  return false;
}

bool is_cache(std::string_view text) { return text.starts_with("nwtopo\r\n"); }

bool is_json(std::string_view text) { return trimmed(text).starts_with('{') || trimmed(text).starts_with('['); }

bool is_own_json(std::string_view text) { return is_json(text) && text.contains("\"nwtopo-json\""); }

/// The other formats of lldpctl are refused by their reader, which says what to run instead.
bool is_lldp(std::string_view text) {
  if (is_json(text)) return text.contains("\"lldp\"");
  return trimmed(text).starts_with("lldp.") || text.contains("<lldp label=") || text.contains("\nLLDP neighbors:") ||
         text.contains("\nLLDP interfaces:");
}

bool is_aws(std::string_view text) { return is_json(text) && text.contains("\"Instances\""); }

bool is_topograph(std::string_view text) { return is_json(text) && text.contains("\"network_layers\""); }

/// Keys of topology.conf are read in any case.
bool is_slurm_record(std::string_view line) {
  constexpr std::array<std::string_view, 3> keys = {"switchname", "blockname", "aggregatedblock"};
  std::string key(trimmed(line.substr(0, line.find('='))));
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return line.contains('=') && std::ranges::find(keys, key) != keys.end();
}

bool is_slurm_yaml(std::string_view text) {
  const auto begins = [&](std::string_view key) {
    return any_line(text, [&](std::string_view line) { return line.starts_with(key); });
  };
  return begins("- topology:") || (begins("topology:") && (begins("tree:") || begins("block:")));
}

bool is_slurm(std::string_view text) { return any_line(text, is_slurm_record) || is_slurm_yaml(text); }

bool is_cluster(std::string_view text) {
  constexpr std::array<std::string_view, 4> tables = {"[planes.", "[[switches]]", "[[hosts]]", "[[chassis]]"};
  return any_line(text, [&](std::string_view line) {
    return std::ranges::any_of(tables, [&](std::string_view table) { return line.starts_with(table); });
  });
}

bool is_aries(std::string_view text) {
  return any_line(text, [](std::string_view line) { return form_of(line).starts_with("cN-NcNsNaNlN"); });
}

bool is_slingshot(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    return any_word(line, [](std::string_view word) {
      const std::string form = form_of(word);
      return form.starts_with("xNcNsNbNnN") || form.starts_with("xNcNrN");
    });
  });
}

struct Looks {
  std::string_view kind;
  bool (*is_it)(std::string_view text);
};

constexpr std::array looks = {
    Looks{"cache", is_cache}, Looks{"ib", is_infiniband_report}, Looks{"json", is_own_json},
    Looks{"slurm", is_slurm}, Looks{"cluster", is_cluster},      Looks{"lldp", is_lldp},
    Looks{"aws", is_aws},     Looks{"topograph", is_topograph},  Looks{"slingshot", is_slingshot},
    Looks{"aries", is_aries}};

/// Enough to know a file by; the rest is read when its kind is known.
std::string beginning_of(const fs::path& file) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  std::string text(enough, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return text;
}

/// The first file in the folder, or in its folders hosts and switches, as lldp:FOLDER has them.
fs::path file_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& inside : {folder, folder / "hosts", folder / "switches"}) {
    std::error_code error;
    for (fs::directory_iterator entry(inside, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      const bool is_hidden = entry->path().filename().string().starts_with('.');
      if (!is_hidden && entry->is_regular_file(ignored)) files.push_back(entry->path());
    }
  }
  return files.empty() ? fs::path() : *std::ranges::min_element(files);
}

}  // namespace

std::vector<std::string_view> kinds_of_text(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string storage;
  const std::string_view shown = is_cache(text) ? text : as_shown(text, storage);
  std::vector<std::string_view> kinds;
  for (const Looks& look : looks) {
    if (look.is_it(shown)) kinds.push_back(look.kind);
  }
  return kinds;
}

std::vector<std::string_view> kinds_of_content(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return kinds_of_text(beginning_of(path));
  const auto kinds = kinds_of_text(beginning_of(file_in(path)));
  // No other kind has folders.
  return std::ranges::find(kinds, "lldp") == kinds.end() ? std::vector<std::string_view>() : kinds;
}

}  // namespace ayatori
