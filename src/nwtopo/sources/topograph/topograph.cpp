#include "ayatori/topograph/topograph.hpp"

#include "ayatori/base/files.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/switch_paths/switch_paths.hpp"

namespace ayatori {

Result<Network> parse_topograph(std::string_view text, std::string_view file) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  const auto listed = document->at("instances");
  if (!listed) return Failure(listed.error());
  return network_of_instances(*listed, {"id", "network_layers"}, "fabric", file);
}

Result<Network> open_topograph(std::string_view file) {
  if (file.empty()) {
    return with_hint(fail("topograph: no file is given"), "topograph:FILE (output of topograph's engine \"graph\")");
  }
  const auto text = read_file(file);
  if (!text) return Failure(text.error());
  return parse_topograph(*text, file);
}

}  // namespace ayatori
