#include "ayatori/json_document/json_document.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ayatori {

namespace {

using nlohmann::json;

/// Escapes '~' and '/' in one part of a JSON pointer (RFC 6901, section 3).
std::string escaped(std::string_view step) {
  std::string text;
  for (const char c : step) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

std::size_t line_of(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The part of nlohmann-json's message that says what is wrong, without its name of the error and the place.
std::string_view reason(std::string_view message) {
  const std::size_t start = message.find(": ");
  return start == std::string_view::npos ? message : message.substr(start + 2);
}

}  // namespace

JsonValue::JsonValue(std::shared_ptr<const std::string> file, std::shared_ptr<const json> value, std::string pointer)
    : file_(std::move(file)), value_(std::move(value)), pointer_(std::move(pointer)) {}

JsonValue JsonValue::below(const json& value, std::string_view step) const {
  return {file_, std::shared_ptr<const json>(value_, &value), pointer_ + "/" + escaped(step)};
}

Result<JsonValue> JsonValue::parse(std::string_view text, std::string_view file) {
  try {
    auto value = std::make_shared<const json>(json::parse(text));
    return JsonValue(std::make_shared<const std::string>(file), std::move(value), "");
  } catch (const json::parse_error& error) {
    const std::size_t line = line_of(text, error.byte > 0 ? error.byte - 1 : 0);
    std::string what = fmt::format("not valid JSON: {}", reason(error.what()));
    std::ranges::replace_if(what, is_control, '?');
    return fail_at(file, line, std::move(what));
  } catch (const json::exception& error) {  // a number too large for a double
    return fail("{}: not valid JSON: {}", file, reason(error.what()));
  }
}

bool JsonValue::is_object() const { return value_->is_object(); }
bool JsonValue::is_array() const { return value_->is_array(); }
bool JsonValue::is_null() const { return value_->is_null(); }
bool JsonValue::has(std::string_view key) const { return value_->is_object() && value_->contains(key); }

Result<std::optional<JsonValue>> JsonValue::find(std::string_view key) const {
  if (!is_object()) return wrong("expected an object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return below(*found, key);
}

Result<JsonValue> JsonValue::at(std::string_view key) const {
  auto found = find(key);
  if (!found) return Failure(found.error());
  if (!*found) return wrong(fmt::format("expected a member '{}'", key));
  return std::move(**found);
}

Result<std::vector<std::pair<std::string, JsonValue>>> JsonValue::members() const {
  if (!is_object()) return wrong("expected an object");
  std::vector<std::pair<std::string, JsonValue>> all;
  for (const auto& [key, value] : value_->items()) all.emplace_back(key, below(value, key));
  return all;
}

Result<std::optional<JsonValue>> JsonValue::other_member(std::span<const std::string_view> names) const {
  if (!is_object()) return wrong("expected an object");
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(names, key) == names.end()) return below(value, key);
  }
  return std::nullopt;
}

Result<std::vector<JsonValue>> JsonValue::items() const {
  if (!is_array()) return wrong("expected an array");
  std::vector<JsonValue> all;
  for (std::size_t i = 0; i < value_->size(); ++i) all.push_back(below((*value_)[i], std::to_string(i)));
  return all;
}

Result<std::size_t> JsonValue::size() const {
  if (!is_array()) return wrong("expected an array");
  return value_->size();
}

Result<JsonValue> JsonValue::item(std::size_t index) const {
  const auto count = size();
  if (!count) return Failure(count.error());
  if (index >= *count) return wrong(fmt::format("expected an item {}", index));
  return below((*value_)[index], std::to_string(index));
}

Result<std::string> JsonValue::text() const {
  if (!value_->is_string()) return wrong("expected a string");
  const auto& text = value_->get_ref<const std::string&>();
  if (std::ranges::any_of(text, is_control)) return wrong("a control character in a string");
  return text;
}

Result<bool> JsonValue::truth() const {
  if (!value_->is_boolean()) return wrong("expected true or false");
  return value_->get<bool>();
}

Result<std::uint64_t> JsonValue::count() const {
  if (!value_->is_number_unsigned()) return wrong("expected a whole number, 0 or more");
  return value_->get<std::uint64_t>();
}

Result<double> JsonValue::number() const {
  if (!value_->is_number()) return wrong("expected a number");
  return value_->get<double>();
}

Result<std::string> JsonValue::text_at(std::string_view key) const {
  const auto member = at(key);
  return member ? member->text() : Failure(member.error());
}

Result<bool> JsonValue::truth_at(std::string_view key) const {
  const auto member = at(key);
  return member ? member->truth() : Failure(member.error());
}

Failure JsonValue::wrong(std::string_view what) const {
  std::string pointer = pointer_.empty() ? "/" : pointer_;
  std::ranges::replace_if(pointer, is_control, '?');
  return fail("{}: {}: {}", *file_, pointer, what);
}

}  // namespace ayatori
