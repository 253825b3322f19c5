#include "ayatori/topograph/topograph.hpp"

#include "ayatori/base/files.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/switch_paths/switch_paths.hpp"

namespace ayatori {

namespace {

Result<HostPath> read_instance(const JsonValue& instance) {
  HostPath path;
  auto id = instance.text_at("id");
  if (!id) return Failure(id.error());
  if (id->empty()) return instance.wrong("an empty id");
  path.host = std::move(*id);
  const auto layers = instance.find("network_layers");
  if (!layers) return Failure(layers.error());
  if (!*layers) return path;  // Go writes null for an instance without topology
  const auto items = (**layers).items();
  if (!items) return Failure(items.error());
  for (const JsonValue& item : *items) {
    auto layer = item.text();
    if (!layer) return Failure(layer.error());
    if (layer->empty()) return item.wrong("an empty name");
    path.switches.push_back(std::move(*layer));
  }
  return path;
}

}  // namespace

Result<Network> parse_topograph(std::string_view text, std::string_view file) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  const auto listed = document->at("instances");
  if (!listed) return Failure(listed.error());
  return network_of_instances(*listed, read_instance, "fabric", file);
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
