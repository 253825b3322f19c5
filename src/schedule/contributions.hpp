#pragma once
/// \file
/// What a slot holds, told by where it comes from.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ayatori/schedule/collective.hpp"

namespace ayatori {

/// A slot's value: an index into Contributions. Equal values have equal indices.
using Value = std::uint32_t;

/// Multisets of contributions ("rank r's slot j, k times"), each stored once.
class Contributions {
 public:
  static constexpr Value nothing = 0;

  Contributions() { intern({}); }
  [[nodiscard]] Value one(Rank rank, Slot slot);
  [[nodiscard]] Value sum(Value a, Value b);
  /// Slot `slot` of ranks 0 … ranks − 1, once each.
  [[nodiscard]] Value of_all(Rank ranks, Slot slot);
  /// For error messages: "rank 3's slot 1 twice, …".
  [[nodiscard]] std::string describe(Value value) const;
  /// Rank and slot, if it is just one contribution; {no_id, 0} otherwise.
  [[nodiscard]] std::pair<Rank, Slot> only(Value value) const;

 private:
  struct Term {
    Rank rank;
    Slot slot;
    std::uint32_t times;
    friend auto operator<=>(const Term&, const Term&) = default;
  };
  using Terms = std::vector<Term>;  // sorted by rank, slot

  Value intern(Terms terms);

  std::vector<const Terms*> terms_;  // by value
  std::map<Terms, Value> known_;
  std::unordered_map<std::uint64_t, Value> sums_;
};

}  // namespace ayatori
