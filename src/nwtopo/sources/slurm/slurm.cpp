#include "ayatori/slurm/slurm.hpp"

#include "ayatori/base/text.hpp"
#include "printed.hpp"

namespace ayatori {

namespace {

/// topology.conf begins with "SwitchName=…" or the like, topology.yaml with a list.
bool is_yaml(std::string_view text) {
  LineReader lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = trimmed(*line);
    if (content.empty() || content.starts_with('#')) continue;
    return content.find_first_of("-[{%") == 0;
  }
  return false;
}

}  // namespace

Result<Network> open_slurm(std::string_view rest) {
  constexpr std::string_view key = ",topology=";
  const std::size_t comma = rest.rfind(key);
  const std::string_view file = rest.substr(0, comma);
  const std::string_view topology = comma == std::string_view::npos ? "" : rest.substr(comma + key.size());
  if (file.empty()) return with_hint(fail("slurm: no file is given"), std::string(slurm::readable_files));
  const auto text = read_file(file);
  if (!text) return Failure(text.error());
  if (!slurm::is_printed(*text) && is_yaml(*text)) return parse_slurm_yaml(*text, file, topology);
  if (!topology.empty()) return fail_at(file, 0, "only topology.yaml has topologies with names");
  return parse_slurm_conf(*text, file);
}

}  // namespace ayatori
