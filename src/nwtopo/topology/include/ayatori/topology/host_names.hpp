#pragma once
/// \file
/// Other names of a topology's machines.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// What a file says that machines are called besides their own names. Immutable; safe to read from many threads.
class HostNames {
 public:
  /// The text of the file as network/host_aliases.hpp reads it; `file` is for messages.
  [[nodiscard]] static Result<HostNames> parse(const Topology& topology, std::string_view text, std::string_view file);

  /// The machine that has the other name; also if the name given, or the other one, has a domain that the other lacks.
  /// Small and capital letters are the same. Nothing if it is nobody's, or without domains that of several.
  [[nodiscard]] std::optional<ObjectId> find(std::string_view name) const;

  [[nodiscard]] std::size_t bytes() const;

 private:
  HostNames() = default;

  std::unordered_map<std::string, ObjectId> by_name_;        // in small letters
  std::unordered_map<std::string, ObjectId> by_short_name_;  // without the domain; no_object: several machines'
};

}  // namespace ayatori
