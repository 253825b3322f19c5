#pragma once

#include <yaml.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori::slurm {

/// A value of a YAML document, or none. It lives as long as its YamlDocument.
class YamlNode {
 public:
  YamlNode() = default;
  YamlNode(yaml_document_t* document, yaml_node_t* node) : document_(document), node_(node) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool is_map() const { return is(YAML_MAPPING_NODE); }
  bool is_list() const { return is(YAML_SEQUENCE_NODE); }
  bool is_scalar() const { return is(YAML_SCALAR_NODE); }

  /// The line on which it begins, from 1; 0 for none.
  std::size_t line() const { return node_ ? node_->start_mark.line + 1 : 0; }
  /// A scalar's text; empty for all else.
  std::string_view scalar() const;
  /// yes, true and on, no, false and off. None for any other text.
  std::optional<bool> truth() const;
  /// Of a list; empty for all else.
  std::vector<YamlNode> items() const;
  /// Of a map, in the document's order; empty for all else.
  std::vector<YamlNode> keys() const;
  /// A map's value; none where the key is missing, and for all that is no map.
  YamlNode operator[](std::string_view key) const;

 private:
  bool is(yaml_node_type_t type) const { return node_ && node_->type == type; }
  YamlNode at(int index) const { return {document_, yaml_document_get_node(document_, index)}; }

  yaml_document_t* document_ = nullptr;
  yaml_node_t* node_ = nullptr;
};

/// The first document of a text in YAML 1.1, as libyaml reads it.
class YamlDocument {
 public:
  /// Errors: what is no YAML, with `file` and the line.
  static Result<YamlDocument> parse(std::string_view text, std::string_view file);

  /// None, where the text is empty.
  YamlNode root() const { return {document_.get(), yaml_document_get_root_node(document_.get())}; }

 private:
  struct Delete {
    void operator()(yaml_document_t* document) const;
  };
  std::unique_ptr<yaml_document_t, Delete> document_;
};

}  // namespace ayatori::slurm
