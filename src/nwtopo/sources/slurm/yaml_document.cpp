#include "yaml_document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "ayatori/base/text.hpp"

namespace ayatori::slurm {

std::string_view YamlNode::scalar() const {
  if (!is_scalar()) return {};
  return {reinterpret_cast<const char*>(node_->data.scalar.value), node_->data.scalar.length};
}

std::optional<bool> YamlNode::truth() const {
  constexpr std::array<std::string_view, 3> yes{"yes", "true", "on"};
  constexpr std::array<std::string_view, 3> no{"no", "false", "off"};
  std::string word(scalar());
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::ranges::find(yes, word) != yes.end()) return true;
  if (std::ranges::find(no, word) != no.end()) return false;
  return std::nullopt;
}

std::vector<YamlNode> YamlNode::items() const {
  std::vector<YamlNode> found;
  if (!is_list()) return found;
  const auto& items = node_->data.sequence.items;
  for (const yaml_node_item_t* item = items.start; item < items.top; ++item) found.push_back(at(*item));
  return found;
}

std::vector<YamlNode> YamlNode::keys() const {
  std::vector<YamlNode> found;
  if (!is_map()) return found;
  const auto& pairs = node_->data.mapping.pairs;
  for (const yaml_node_pair_t* pair = pairs.start; pair < pairs.top; ++pair) found.push_back(at(pair->key));
  return found;
}

YamlNode YamlNode::operator[](std::string_view key) const {
  if (!is_map()) return {};
  const auto& pairs = node_->data.mapping.pairs;
  const auto* const found =
      std::find_if(pairs.start, pairs.top, [&](const yaml_node_pair_t& pair) { return at(pair.key).scalar() == key; });
  return found == pairs.top ? YamlNode() : at(found->value);
}

void YamlDocument::Delete::operator()(yaml_document_t* document) const {
  yaml_document_delete(document);
  delete document;
}

Result<YamlDocument> YamlDocument::parse(std::string_view text, std::string_view file) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) return fail("{}: no memory to read YAML", file);
  const std::unique_ptr<yaml_parser_t, decltype(&yaml_parser_delete)> deleted_at_the_end(&parser, yaml_parser_delete);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  auto made = std::make_unique<yaml_document_t>();
  if (yaml_parser_load(&parser, made.get()) == 0) {
    const std::string_view why = parser.problem ? parser.problem : "it can't be read";
    return fail_at(file, parser.problem_mark.line + 1, fmt::format("no YAML: {}", why));
  }
  YamlDocument document;
  document.document_.reset(made.release());
  return document;
}

}  // namespace ayatori::slurm
