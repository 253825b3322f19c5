#pragma once
/// \file
/// A JSON document of a source, read so that every error names the file and the place in it as a JSON pointer
/// (RFC 6901): "topology.json: /Instances/3/InstanceId: expected a string".

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// One value of a document, which it keeps alive. Cheap to copy; any number of threads may read.
class JsonValue {
 public:
  /// `file` names the text in errors. Error: no JSON, "FILE:LINE: …".
  [[nodiscard]] static Result<JsonValue> parse(std::string_view text, std::string_view file);

  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;

  /// An object's member; nothing if it is not there or null. Error: this is no object.
  [[nodiscard]] Result<std::optional<JsonValue>> find(std::string_view key) const;
  /// Error: this is no object, or lacks the member.
  [[nodiscard]] Result<JsonValue> at(std::string_view key) const;
  /// All members by name. Error: this is no object.
  [[nodiscard]] Result<std::vector<std::pair<std::string, JsonValue>>> members() const;
  /// Error: this is no array.
  [[nodiscard]] Result<std::vector<JsonValue>> items() const;
  /// Errors: this is no string, or has a control character.
  [[nodiscard]] Result<std::string> text() const;
  [[nodiscard]] Result<bool> truth() const;
  /// A member that must be there.
  [[nodiscard]] Result<std::string> text_at(std::string_view key) const;
  [[nodiscard]] Result<bool> truth_at(std::string_view key) const;

  /// "FILE: /POINTER: what".
  [[nodiscard]] Failure wrong(std::string_view what) const;

 private:
  JsonValue(std::shared_ptr<const std::string> file, std::shared_ptr<const nlohmann::json> value, std::string pointer);
  [[nodiscard]] JsonValue below(const nlohmann::json& value, std::string_view step) const;

  std::shared_ptr<const std::string> file_;
  std::shared_ptr<const nlohmann::json> value_;  // shares the whole document
  std::string pointer_;
};

}  // namespace ayatori
