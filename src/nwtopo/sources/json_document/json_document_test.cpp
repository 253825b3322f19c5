#include "ayatori/json_document/json_document.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

JsonValue document(std::string_view text) {
  auto parsed = JsonValue::parse(text, "f.json");
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return *parsed;
}

TEST(JsonValue, GivesMembersByNameAndItemsInOrder) {
  const JsonValue root = document(R"({"a": [{"b": "x"}, {"b": "y"}], "t": true, "n": null})");
  const auto items = *root.at("a")->items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(*items[1].at("b")->text(), "y");
  EXPECT_EQ(*root.at("a")->size(), 2U);
  EXPECT_EQ(*root.at("a")->item(1)->text_at("b"), "y");
  EXPECT_EQ(root.at("a")->item(2).error().message, "f.json: /a: expected an item 2");
  EXPECT_EQ(root.size().error().message, "f.json: /: expected an array");
  EXPECT_TRUE(*root.at("t")->truth());
  EXPECT_FALSE(*root.find("n"));
  EXPECT_TRUE(document("[null]").item(0)->is_null());
  EXPECT_FALSE(*root.find("none"));
  EXPECT_EQ(root.members()->size(), 3U);
  EXPECT_TRUE(root.is_object());
  const std::string_view known[] = {"a", "n", "t"};
  EXPECT_FALSE(*root.other_member(known));
  EXPECT_EQ((*root.other_member(std::span(known).first(2)))->wrong("x").error().message, "f.json: /t: x");
  EXPECT_TRUE(root.at("a")->is_array());
}

TEST(JsonValue, KeepsItsDocumentAlive) {
  std::optional<JsonValue> deep;
  {
    const JsonValue root = document(R"({"a": {"b": "x"}})");
    deep = *root.at("a")->at("b");
  }
  EXPECT_EQ(*deep->text(), "x");
}

TEST(JsonValue, CountsAreWholeNumbersFromZero) {
  const JsonValue root = document(R"({"c": 7, "f": 1.5, "m": -1, "n": null, "big": 18446744073709551615})");
  EXPECT_EQ(*root.at("c")->count(), 7U);
  EXPECT_EQ(*root.at("big")->count(), 18446744073709551615U);
  EXPECT_EQ(root.at("f")->count().error().message, "f.json: /f: expected a whole number, 0 or more");
  EXPECT_FALSE(root.at("m")->count());
  EXPECT_EQ(*root.at("f")->number(), 1.5);
  EXPECT_EQ(*root.at("m")->number(), -1);
  EXPECT_EQ(root.number().error().message, "f.json: /: expected a number");
  EXPECT_TRUE(root.has("n"));
  EXPECT_FALSE(root.has("x"));
}

TEST(JsonValue, ErrorsNameFileAndJsonPointer) {
  const JsonValue root = document(R"({"a/b": [{"c~d": 7}], "s": "one\u0007two"})");
  const JsonValue item = (*root.at("a/b")->items())[0];
  EXPECT_EQ(item.at("c~d")->text().error().message, "f.json: /a~1b/0/c~0d: expected a string");
  EXPECT_EQ(item.at("e").error().message, "f.json: /a~1b/0: expected a member 'e'");
  EXPECT_EQ(item.items().error().message, "f.json: /a~1b/0: expected an array");
  EXPECT_EQ(item.truth().error().message, "f.json: /a~1b/0: expected true or false");
  EXPECT_EQ(root.at("a/b")->at("x").error().message, "f.json: /a~1b: expected an object");
  EXPECT_EQ(root.at("a/b")->members().error().message, "f.json: /a~1b: expected an object");
  EXPECT_EQ(root.items().error().message, "f.json: /: expected an array");
  EXPECT_EQ(root.at("s")->text().error().message, "f.json: /s: a control character in a string");
}

TEST(JsonValueParse, ErrorsNameTheLineThatIsNotValidJson) {
  const auto parsed = JsonValue::parse("{\n \"a\": 1,\n \"b\": oops\n}\n", "f.json");
  ASSERT_FALSE(parsed);
  EXPECT_TRUE(parsed.error().message.starts_with("f.json:3: not valid JSON: ")) << parsed.error().message;
  EXPECT_TRUE(JsonValue::parse("", "f.json").error().message.starts_with("f.json:1: not valid JSON: "));
  EXPECT_TRUE(JsonValue::parse("\xff", "f.json").error().message.starts_with("f.json:1: not valid JSON: "));
  EXPECT_FALSE(JsonValue::parse("1e999", "f.json"));
}

TEST(JsonValueParse, AnyDepthIsParsedWithoutStackOverflow) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_TRUE(JsonValue::parse(deep, "f.json"));
  EXPECT_FALSE(JsonValue::parse(std::string(100'000, '['), "f.json"));
}

}  // namespace
}  // namespace ayatori
