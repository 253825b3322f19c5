#pragma once
/// \file
/// A plan: which of the destination's LIDs each message of a job takes. `ayatori/planning/make_plan.hpp` makes plans,
/// `ayatori/contention/contention.hpp` measures them, and a running program reads them from a file.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// How a plan was made.
enum class Method : std::uint8_t {
  base_lids,  ///< no plan: every message goes to the base LID of its destination. On tables of our making and
              ///< of OpenSM's ftree engine this is d-mod-k routing.
  rule,       ///< paper 1, section 4.2: one LID per destination, from the destination's number in the job
  colour,     ///< one LID per destination, found by colouring the conflict graph
  pair,       ///< one LID per (source, destination), found by colouring each step's bipartite multigraph
};

/// "base-lids", "rule", "colour", "pair"; and back.
[[nodiscard]] std::string_view to_word(Method method);
[[nodiscard]] std::optional<Method> parse_method(std::string_view word);

/// A plan stores path bits (LID minus base LID, 0 … 127), one byte per destination rank, or for Method::pair one byte
/// per (source, destination) with the destinations of source 0 first. It never changes once it is made, so any number
/// of threads may read it.
class Plan {
 public:
  /// A plan of no ranks.
  Plan() = default;

  /// The plan of Method::base_lids: path bits 0 for all ranks.
  static Plan base_lids(Rank ranks);

  /// `path_bits[to]` is for all messages to rank `to`; their number is the number of ranks. `method` must not be
  /// Method::pair.
  static Plan per_destination(Method method, std::vector<std::uint8_t> path_bits);

  /// `path_bits[from · ranks + to]` is for the messages from rank `from` to rank `to`; there must be ranks² of them.
  static Plan per_pair(Rank ranks, std::vector<std::uint8_t> path_bits);

  [[nodiscard]] Method method() const { return method_; }
  [[nodiscard]] Rank rank_count() const { return ranks_; }
  [[nodiscard]] bool is_per_pair() const { return method_ == Method::pair; }

  /// The path bits of a message. Both ranks must be below rank_count().
  [[nodiscard]] std::uint8_t path_bits(Rank from, Rank to) const {
    return bits_[is_per_pair() ? std::size_t{from} * ranks_ + to : to];
  }

  /// All path bits, in the order in which per_destination() or per_pair() took them.
  [[nodiscard]] std::span<const std::uint8_t> all_path_bits() const { return bits_; }

  friend bool operator==(const Plan&, const Plan&) = default;

 private:
  Method method_ = Method::base_lids;
  Rank ranks_ = 0;
  std::vector<std::uint8_t> bits_;
};

}  // namespace ayatori
