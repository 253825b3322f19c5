#pragma once
/// \file
/// The values in the tables of a cluster's file. Errors name file, line and key.

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/toml.hpp"
#include "ayatori/network/link_rate.hpp"
#include "ayatori/network/purpose.hpp"

namespace ayatori::cluster {

class Fields {
 public:
  explicit Fields(std::string_view file) : file_(file) {}

  /// Calls read(table) for each table of the array of tables `key`; there may be no such array.
  template <typename Read>
  Result<> each_table(const toml::table& table, std::string_view key, Read read) const;
  /// Errors: a key other than `keys`.
  [[nodiscard]] Result<> check_keys(const toml::table& table, std::initializer_list<std::string_view> keys) const;
  /// Nothing if the key is missing. Error: not a text, or an empty one.
  [[nodiscard]] Result<std::optional<std::string>> text(const toml::table& table, std::string_view key) const;
  [[nodiscard]] Result<std::string> needed_text(const toml::table& table, std::string_view key) const;
  /// Of a host list as Slurm writes it.
  [[nodiscard]] Result<std::vector<std::string>> names(const toml::table& table, std::string_view key) const;
  /// Of Fibre Channel as its generations are called, 8GFC; of all else a LinkRate.
  [[nodiscard]] Result<LinkRate> rate(const toml::table& table, LinkRate otherwise, bool fibre_channel) const;
  [[nodiscard]] bool has_fibre_channel_rate(const toml::table& table) const;
  /// What a plane is for: all, or of Fibre Channel storage, if the key is missing.
  [[nodiscard]] Result<PlaneUse> use(const toml::table& plane, bool fibre_channel) const;
  /// In nanoseconds.
  [[nodiscard]] Result<std::uint32_t> latency(const toml::table& table, std::uint32_t otherwise) const;
  [[nodiscard]] Result<std::uint32_t> cables(const toml::table& table) const;
  /// IPv4 addresses with the length of their network: "192.168.0.161/24". None if the key is missing.
  [[nodiscard]] Result<std::vector<std::string>> addresses(const toml::table& table) const;

  [[nodiscard]] Failure wrong(const toml::node& node, std::string what) const {
    return fail_at(file_, line_of(node), std::move(what));
  }

 private:
  std::string_view file_;
};

template <typename Read>
Result<> Fields::each_table(const toml::table& table, std::string_view key, Read read) const {
  const toml::node* node = table.get(key);
  if (!node) return {};
  const toml::array* array = node->as_array();
  if (!array) return wrong(*node, fmt::format("{}: expected an array of tables, each under [[{}]]", key, key));
  for (const toml::node& element : *array) {
    const toml::table* one = element.as_table();
    if (!one) return wrong(element, fmt::format("{}: expected a table", key));
    if (auto done = read(*one); !done) return done;
  }
  return {};
}

}  // namespace ayatori::cluster
