#pragma once
/// \file
/// JSON documents whose errors name the file and the place in it as a JSON pointer (RFC 6901): "topology.json:
/// /Instances/3/InstanceId: expected a string".

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// One value of a document. It keeps the document alive, is cheap to copy, and any number of threads may read it.
class JsonValue {
 public:
  /// Parses a text; `file` names it in errors. Error: "FILE:LINE: not valid JSON: …".
  [[nodiscard]] static Result<JsonValue> parse(std::string_view text, std::string_view file);

  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_null() const;
  /// Is this an object with such a member, null or not?
  [[nodiscard]] bool has(std::string_view key) const;

  /// A member of this object; nothing if it is missing or null. Error: this value is not an object.
  [[nodiscard]] Result<std::optional<JsonValue>> find(std::string_view key) const;
  /// A member of this object. Errors: this value is not an object; it lacks the member.
  [[nodiscard]] Result<JsonValue> at(std::string_view key) const;
  /// All members with their names. Error: this value is not an object.
  [[nodiscard]] Result<std::vector<std::pair<std::string, JsonValue>>> members() const;
  /// A member with none of these names; nothing if there is none. Error: this value is not an object.
  [[nodiscard]] Result<std::optional<JsonValue>> other_member(std::span<const std::string_view> names) const;
  /// All items of this array. Error: this value is not an array.
  [[nodiscard]] Result<std::vector<JsonValue>> items() const;
  /// The number of items, and one of them: for arrays too long for items(), which takes some 100 bytes an item. Errors:
  /// this value is not an array; it has no such item.
  [[nodiscard]] Result<std::size_t> size() const;
  [[nodiscard]] Result<JsonValue> item(std::size_t index) const;
  /// Errors: this value is not a string; it contains a control character.
  [[nodiscard]] Result<std::string> text() const;
  /// Error: this value is neither true nor false.
  [[nodiscard]] Result<bool> truth() const;
  /// A whole number from 0 on, written without a fraction or an exponent.
  [[nodiscard]] Result<std::uint64_t> count() const;
  [[nodiscard]] Result<double> number() const;
  /// text() and truth() of a member that must be there.
  [[nodiscard]] Result<std::string> text_at(std::string_view key) const;
  [[nodiscard]] Result<bool> truth_at(std::string_view key) const;

  /// The error "FILE: /POINTER: what".
  [[nodiscard]] Failure wrong(std::string_view what) const;

 private:
  JsonValue(std::shared_ptr<const std::string> file, std::shared_ptr<const nlohmann::json> value, std::string pointer);
  [[nodiscard]] JsonValue below(const nlohmann::json& value, std::string_view step) const;

  std::shared_ptr<const std::string> file_;
  std::shared_ptr<const nlohmann::json> value_;  // shares the whole document
  std::string pointer_;
};

}  // namespace ayatori
