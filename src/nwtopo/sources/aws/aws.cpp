#include "ayatori/aws/aws.hpp"

#include "ayatori/base/files.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/switch_paths/switch_paths.hpp"

namespace ayatori {

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
  // AWS lists the network nodes from the top down.
  return network_of_instances(*listed, {"InstanceId", "NetworkNodes", false}, "efa", file);
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
