#include "ayatori/base/files.hpp"
#include "ayatori/json/json.hpp"
#include "records.hpp"

namespace ayatori {

Result<Network> parse_json(std::string_view text, std::string_view file) {
  const auto records = json_format::read_records(text, file);
  if (!records) return Failure(records.error());
  return json_format::build_network(*records, file);
}

Result<Network> open_json(std::string_view rest) {
  if (rest.empty()) return with_hint(fail("json: no file is given"), "json:FILE");
  const auto text = read_file(rest);
  if (!text) return Failure(text.error());
  return parse_json(*text, rest);
}

}  // namespace ayatori
