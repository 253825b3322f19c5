#pragma once
/// \file
/// YAML as configuration files use it: maps and lists by indentation or in brackets, words with and without quotes,
/// comments, one document. What else YAML has (anchors, tags, texts over several lines) is refused, not misread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori::slurm {

/// A value, and where it is.
struct YamlNode {
  enum class Kind : std::uint8_t { null, word, list, map };

  Kind kind = Kind::null;
  std::size_t line = 0;         ///< on which it begins, from 1
  std::string text = {};        ///< of a word
  std::vector<YamlNode> items;  ///< of a list; of a map the values
  std::vector<YamlNode> keys;   ///< of a map: words, no two the same, as many as items

  [[nodiscard]] bool is_word() const { return kind == Kind::word; }
  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_map() const { return kind == Kind::map; }
  /// The value of this key; nullptr if there is none, or this is no map.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

/// Errors name the line.
[[nodiscard]] Result<YamlNode> parse_yaml(std::string_view text, std::string_view file);

}  // namespace ayatori::slurm
