#pragma once
/// \file
/// Plans: which of the destination's LIDs each message of a Job takes.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

enum class Method : std::uint8_t {
  base,    ///< everybody uses the base LID: what happens without a plan ("modk" on destination-mod-K tables)
  rule,    ///< paper 1, section 4.2: one LID per destination, from its local node id
  colour,  ///< one LID per destination, by colouring the conflict graph
  pair,    ///< one LID per (source, destination), by colouring each step's bipartite multigraph
};

/// A plan stores path bits (LID minus base LID), a byte each: one per destination rank, or for Method::pair one per
/// (source, destination), source-major. Immutable; safe to read from many threads.
class Plan {
 public:
  Plan() = default;
  static Plan base(Rank ranks);
  static Plan per_destination(Method method, std::vector<std::uint8_t> path_bits);
  static Plan per_pair(Rank ranks, std::vector<std::uint8_t> path_bits);

  [[nodiscard]] Method method() const { return method_; }
  [[nodiscard]] Rank rank_count() const { return ranks_; }
  [[nodiscard]] bool is_per_pair() const { return method_ == Method::pair; }
  [[nodiscard]] std::uint8_t path_bits(Rank from, Rank to) const {
    return bits_[is_per_pair() ? std::size_t{from} * ranks_ + to : to];
  }
  [[nodiscard]] std::span<const std::uint8_t> raw() const { return bits_; }

 private:
  Method method_ = Method::base;
  Rank ranks_ = 0;
  std::vector<std::uint8_t> bits_;
};

struct Planned {
  Plan plan;
  /// True if nothing better exists: hot_spots is lower_bound, or (on over-subscribed leaves, where hot spots must be
  /// and only their height counts) no step can take less time.
  bool optimal = false;
  /// How that is known, or how far it is not: "a colouring exists", "no colouring with 6 colours exists (exhaustive
  /// search, 8123 nodes)", "heuristic: …".
  std::string reason;
  std::uint64_t hot_spots = 0;    ///< (link, step) pairs that are busier than any endpoint in that step
  std::uint64_t lower_bound = 0;  ///< no plan of this method on these tables has fewer (0 where nothing is known)
};

/// Plans the job whose ranks stand on `endpoints`, for the messages of `steps` (the shift all-to-all unless the caller
/// has better). Deterministic. Messages between ranks of one machine do not count. Errors: `rule`, `colour` and `pair`
/// need tables with as many LIDs as the fabric has paths to do their work; with fewer they do what they can and say so
/// in `reason`; an endpoint without LID or that the tables don't reach is an error.
[[nodiscard]] Result<Planned> make_plan(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                        const StepSequence& steps, Method method);

}  // namespace ayatori
