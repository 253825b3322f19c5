#include "yaml_document.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ayatori::slurm {

namespace {

/// Lists and maps within each other: a few bytes each, and each takes stack.
constexpr int max_depth = 100;

class YamlParser {
 public:
  YamlParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<YamlNode> read() {
    if (auto skipped = skip_head(); !skipped) return Failure(skipped.error());
    auto document = read_node(-1, 0);
    if (!document) return document;
    if (auto skipped = skip_to_content(); !skipped) return Failure(skipped.error());
    if (is_line("...")) return document;
    if (!at_end()) return wrong("what stands here belongs to nothing before it");
    return document;
  }

 private:
  // --- where we are --------------------------------------------------------------------------------------------------

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_begin_); }
  [[nodiscard]] static bool ends_word(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; }
  [[nodiscard]] bool is_dash() const { return peek() == '-' && ends_word(peek(1)); }
  [[nodiscard]] bool is_colon() const { return peek() == ':' && ends_word(peek(1)); }
  [[nodiscard]] bool is_line(std::string_view mark) const {
    return column() == 0 && text_.substr(at_).starts_with(mark) && ends_word(peek(mark.size()));
  }

  [[nodiscard]] Failure wrong(std::string_view why) const {
    return fail_at(file_, line_, fmt::format("no YAML that is read here: {}", why));
  }

  void advance() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_begin_ = at_;
  }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') advance();
  }

  void skip_line() {
    while (!at_end() && peek() != '\n') advance();
  }

  /// To the end of the line, or to what stands on the rest of it before a comment.
  void skip_in_line() {
    const bool apart = at_ == line_begin_ || ends_word(text_[at_ - 1]);
    const std::size_t before = at_;
    skip_spaces();
    if (peek() == '#' && (apart || at_ > before)) skip_line();
  }

  [[nodiscard]] bool line_ends() const { return at_end() || peek() == '\n'; }

  /// Over empty lines and comments. Error: a tab indents a line.
  Result<> skip_to_content() {
    for (;;) {
      const bool begins = at_ == line_begin_;
      const std::size_t before = at_;
      skip_in_line();
      if (!line_ends()) {
        const bool tab = begins && text_.substr(before, at_ - before).contains('\t');
        return tab ? wrong("a tab indents this line; use spaces") : Result<>();
      }
      if (at_end()) return {};
      advance();
    }
  }

  /// "%YAML 1.1" and "---".
  Result<> skip_head() {
    for (;;) {
      if (auto skipped = skip_to_content(); !skipped) return skipped;
      if (is_line("---")) {
        at_ += 3;
        return {};
      }
      if (peek() != '%' || column() != 0) return {};
      skip_line();
    }
  }

  // --- values --------------------------------------------------------------------------------------------------------

  /// What stands here or on the next lines further right than `indent`; null if nothing does.
  Result<YamlNode> read_node(int indent, int depth) {
    if (depth > max_depth) return wrong(fmt::format("more than {} lists and maps within each other", max_depth));
    const std::size_t line = line_;
    if (auto skipped = skip_to_content(); !skipped) return Failure(skipped.error());
    if (at_end() || column() <= indent || is_line("---") || is_line("...")) return YamlNode{.line = line};
    if (is_dash()) return read_list(depth);
    if (peek() == '[' || peek() == '{') return read_flow(depth);
    const int begin = column();
    auto word = read_word(false);
    if (!word || !is_colon()) return word;
    return read_map(std::move(*word), begin, depth);
  }

  Result<YamlNode> read_list(int depth) {
    YamlNode list{.kind = YamlNode::Kind::list, .line = line_};
    const int begin = column();
    while (!at_end() && column() == begin && is_dash()) {
      advance();
      auto item = read_node(begin, depth + 1);
      if (!item) return item;
      list.items.push_back(std::move(*item));
      if (auto ended = end_entry(); !ended) return Failure(ended.error());
    }
    return list;
  }

  Result<YamlNode> read_map(YamlNode key, int begin, int depth) {
    YamlNode map{.kind = YamlNode::Kind::map, .line = key.line};
    for (;;) {
      advance();  // the colon
      if (auto added = add_key(map, std::move(key)); !added) return Failure(added.error());
      auto value = read_value(begin, depth);
      if (!value) return value;
      map.items.push_back(std::move(*value));
      if (auto ended = end_entry(); !ended) return Failure(ended.error());
      if (at_end() || column() != begin || is_dash() || is_line("---") || is_line("...")) return map;
      auto next = read_word(false);
      if (!next) return next;
      if (!is_colon()) return wrong(fmt::format("expected ':' after '{}'", next->text));
      key = std::move(*next);
    }
  }

  /// Of a key that begins in this column. A list may begin there, too.
  Result<YamlNode> read_value(int begin, int depth) {
    skip_in_line();
    if (!line_ends()) {
      if (is_dash()) return wrong("a list begins on a line of its own");
      return peek() == '[' || peek() == '{' ? read_flow(depth) : read_word(false);
    }
    const std::size_t line = line_;
    if (auto skipped = skip_to_content(); !skipped) return Failure(skipped.error());
    if (!at_end() && column() == begin && is_dash() && depth < max_depth) return read_list(depth + 1);
    auto value = read_node(begin, depth + 1);
    if (value && value->kind == YamlNode::Kind::null) value->line = line;
    return value;
  }

  /// Behind an entry of a list or map nothing else stands on its line.
  Result<> end_entry() {
    if (at_ != line_begin_ && !new_line_behind()) {
      skip_in_line();
      if (!line_ends()) return wrong("expected the end of the line");
    }
    return skip_to_content();
  }

  /// Whether only spaces are before us on this line: the entry ended on a line before.
  [[nodiscard]] bool new_line_behind() const {
    return text_.substr(line_begin_, at_ - line_begin_).find_first_not_of(" \r") == std::string_view::npos;
  }

  Result<> add_key(YamlNode& map, YamlNode key) {
    if (!key.is_word()) return wrong("expected a key");
    if (map.find(key.text)) return wrong(fmt::format("the key '{}' is there twice", key.text));
    map.keys.push_back(std::move(key));
    return {};
  }

  // --- in brackets ---------------------------------------------------------------------------------------------------

  Result<YamlNode> read_flow(int depth) {
    if (depth > max_depth) return wrong(fmt::format("more than {} lists and maps within each other", max_depth));
    const bool is_map = peek() == '{';
    const char end = is_map ? '}' : ']';
    YamlNode node{.kind = is_map ? YamlNode::Kind::map : YamlNode::Kind::list, .line = line_};
    advance();
    for (;;) {
      if (auto skipped = skip_to_content(); !skipped) return Failure(skipped.error());
      if (at_end()) return wrong("a bracket is not closed");
      if (peek() == end) break;
      if (auto added = add_flow_entry(node, depth); !added) return Failure(added.error());
      if (auto skipped = skip_to_content(); !skipped) return Failure(skipped.error());
      if (peek() == ',') {
        advance();
      } else if (peek() != end) {
        return wrong(fmt::format("expected ',' or '{}'", end));
      }
    }
    advance();
    return node;
  }

  Result<> add_flow_entry(YamlNode& node, int depth) {
    if (node.is_map()) {
      auto key = read_word(true);
      if (!key) return Failure(key.error());
      skip_in_line();
      if (peek() != ':') return wrong(fmt::format("expected ':' after '{}'", key->text));
      advance();
      if (auto added = add_key(node, std::move(*key)); !added) return added;
      if (auto skipped = skip_to_content(); !skipped) return skipped;
    }
    auto value = peek() == '[' || peek() == '{' ? read_flow(depth + 1) : read_word(true);
    if (!value) return Failure(value.error());
    node.items.push_back(std::move(*value));
    return {};
  }

  // --- words ---------------------------------------------------------------------------------------------------------

  Result<YamlNode> read_word(bool in_brackets) {
    if (peek() == '"' || peek() == '\'') return read_quoted();
    constexpr std::string_view others = "&*!|>%@`?";
    if (others.contains(peek()) && (peek() != '?' || ends_word(peek(1)))) {
      return wrong(fmt::format("'{}' begins something else in YAML; put the word into quotes", peek()));
    }
    YamlNode word{.kind = YamlNode::Kind::word, .line = line_};
    const std::size_t begin = at_;
    while (!line_ends() && !is_colon()) {
      if (in_brackets && std::string_view(",[]{}").contains(peek())) break;
      if (peek() == '#' && at_ > begin && ends_word(text_[at_ - 1])) break;
      advance();
    }
    const std::string_view read = text_.substr(begin, at_ - begin);
    word.text = read.substr(0, read.find_last_not_of(" \t\r") + 1);
    constexpr std::array<std::string_view, 5> nulls = {"", "~", "null", "Null", "NULL"};
    if (std::ranges::find(nulls, word.text) != nulls.end()) return YamlNode{.line = word.line};
    return word;
  }

  Result<YamlNode> read_quoted() {
    YamlNode word{.kind = YamlNode::Kind::word, .line = line_};
    const char quote = peek();
    for (advance(); !line_ends(); advance()) {
      if (peek() == quote) {
        if (quote == '"' || peek(1) != quote) {
          advance();
          skip_spaces();
          return word;
        }
        advance();  // '' is one '
      } else if (peek() == '\\' && quote == '"') {
        advance();
        if (!std::string_view("\"\\/").contains(peek()) || line_ends()) {
          return wrong("of what a backslash begins only \\\", \\\\ and \\/ are read");
        }
      }
      word.text += peek();
    }
    return wrong("a quote is not closed on its line");
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &YamlNode::text);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Result<YamlNode> parse_yaml(std::string_view text, std::string_view file) { return YamlParser(text, file).read(); }

}  // namespace ayatori::slurm
