#include "ayatori/lldp/lldp.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "leave_out.hpp"

namespace ayatori {

namespace {

namespace fs = std::filesystem;

using Reports = std::vector<LldpReport>;

Result<> add_file(const fs::path& path, LldpRole role, Reports& reports) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  const fs::path device = path.extension() == ".json" ? path.stem() : path.filename();
  auto parsed = parse_lldp(*text, path.string(), device.string(), role);
  if (!parsed) return Failure(parsed.error());
  reports.insert(reports.end(), std::make_move_iterator(parsed->begin()), std::make_move_iterator(parsed->end()));
  return {};
}

/// Sorted by name, so that the same folder gives the same network. Hidden files are not reports.
Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with('.')) entries.push_back(entry->path());
  }
  if (error) return fail("{}: {}", folder.string(), error.message());
  std::ranges::sort(entries, natural_less, [](const fs::path& path) { return path.string(); });
  return entries;
}

LldpRole role_of_folder(const fs::path& folder) {
  if (folder.filename() == "hosts") return LldpRole::host;
  if (folder.filename() == "switches") return LldpRole::router;
  return LldpRole::unknown;
}

Result<> add_folder(const fs::path& folder, LldpRole role, Reports& reports) {
  const auto entries = entries_of(folder);
  if (!entries) return Failure(entries.error());
  for (const fs::path& entry : *entries) {
    std::error_code error;
    const bool is_folder = fs::is_directory(entry, error);
    const LldpRole inside = role_of_folder(entry);
    if (is_folder && (inside == LldpRole::unknown || role != LldpRole::unknown)) {
      return with_hint(fail("{}: expected a report, found a folder", entry.string()),
                       "put one file per device here, or into the subfolders hosts and switches");
    }
    auto added = is_folder ? add_folder(entry, inside, reports) : add_file(entry, role, reports);
    if (!added) return added;
  }
  return {};
}

/// Takes the names after ",without=" off the end.
std::vector<std::string_view> take_left_out(std::string_view& rest) {
  constexpr std::string_view key = ",without=";
  std::vector<std::string_view> names;
  for (auto at = rest.rfind(key); at != std::string_view::npos; at = rest.rfind(key)) {
    names.push_back(rest.substr(at + key.size()));
    rest = rest.substr(0, at);
  }
  return names;
}

}  // namespace

Result<Network> open_lldp(std::string_view rest) {
  const auto left_out = take_left_out(rest);
  if (rest.empty()) {
    return with_hint(fail("lldp: no file is given"),
                     "lldp:FILE or lldp:FOLDER (output of lldpctl -f json on each host)");
  }
  Reports reports;
  const fs::path path(rest);
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  auto added = is_folder ? add_folder(path, LldpRole::unknown, reports) : add_file(path, LldpRole::unknown, reports);
  if (!added) return Failure(added.error());
  if (reports.empty()) return fail("{}: there is no report of any device", rest);
  for (const std::string_view name : left_out) {
    if (auto left = leave_out(name, reports); !left) return fail("{}: {}", rest, left.error().message);
  }
  return network_of_lldp(reports);
}

}  // namespace ayatori
