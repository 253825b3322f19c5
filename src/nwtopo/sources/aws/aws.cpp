#include "ayatori/aws/aws.hpp"

#include <algorithm>

#include "ayatori/base/files.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/switch_paths/switch_paths.hpp"

namespace ayatori {

namespace {

/// The switches above an instance, the nearest first. AWS lists them from the top down.
Result<std::vector<std::string>> network_nodes(const JsonValue& instance) {
  std::vector<std::string> nodes;
  const auto listed = instance.find("NetworkNodes");
  if (!listed) return Failure(listed.error());
  if (!*listed) return nodes;
  const auto items = (**listed).items();
  if (!items) return Failure(items.error());
  for (const JsonValue& item : *items) {
    auto node = item.text();
    if (!node) return Failure(node.error());
    if (node->empty()) return item.wrong("an empty name");
    nodes.push_back(std::move(*node));
  }
  std::ranges::reverse(nodes);
  return nodes;
}

Result<HostPath> read_instance(const JsonValue& instance) {
  auto id = instance.text_at("InstanceId");
  if (!id) return Failure(id.error());
  if (id->empty()) return instance.wrong("an empty InstanceId");
  auto nodes = network_nodes(instance);
  if (!nodes) return Failure(nodes.error());
  return HostPath{std::move(*id), std::move(*nodes)};
}

}  // namespace

Result<Network> parse_aws(std::string_view text, std::string_view file) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  const auto next = document->find("NextToken");
  if (!next) return Failure(next.error());
  if (*next) {
    return with_hint((**next).wrong("the listing is not complete: it continues on another page"),
                     "aws ec2 describe-instance-topology joins all pages unless --max-items or --no-paginate is given");
  }
  const auto listed = document->at("Instances");
  if (!listed) return Failure(listed.error());
  return network_of_instances(*listed, read_instance, "efa", file);
}

Result<Network> open_aws(std::string_view file) {
  if (file.empty()) {
    return with_hint(fail("aws: no file is given"), "aws:FILE (output of aws ec2 describe-instance-topology)");
  }
  const auto text = read_file(file);
  if (!text) return Failure(text.error());
  return parse_aws(*text, file);
}

}  // namespace ayatori
