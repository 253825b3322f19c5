#pragma once
/// \file
/// Communication patterns: which ranks exchange messages at the same time, step by step.

#include <cstdint>
#include <memory>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

/// Paper 1, section 2.3: in step s = 1 … n − 1 rank r sends to (r + s) mod n. Step 0 (to itself) is left out.
[[nodiscard]] std::unique_ptr<StepSequence> shift_all_to_all(Rank ranks);

/// One step: rank r sends to r + 1 (mod n).
[[nodiscard]] std::unique_ptr<StepSequence> ring(Rank ranks);

/// Two steps: r to r + 1, then r to r − 1 (mod n).
[[nodiscard]] std::unique_ptr<StepSequence> neighbour(Rank ranks);

/// In step s = 1 … rank r exchanges with r xor s, if that is a rank: the all-to-all of MPICH, for large messages.
[[nodiscard]] std::unique_ptr<StepSequence> xor_exchanges(Rank ranks);

/// One step: each rank sends to each other; or to those at the distances 1, 1 + every, 1 + 2 · every, …
[[nodiscard]] std::unique_ptr<StepSequence> all_at_once(Rank ranks, Rank every = 1);

/// One step: each rank sends to both neighbours in each of `dimensions` rings, whose lengths are as equal as the number
/// of ranks allows. Ranks are in row-major order.
[[nodiscard]] std::unique_ptr<StepSequence> halo(Rank ranks, std::size_t dimensions);

/// A reduction to rank 0 by a binomial tree, and a broadcast from it.
[[nodiscard]] std::unique_ptr<StepSequence> binomial_tree(Rank ranks);

/// `steps` steps, each a permutation drawn uniformly from `seed`; ranks that draw themselves stay silent.
[[nodiscard]] std::unique_ptr<StepSequence> random_permutations(Rank ranks, std::size_t steps, std::uint64_t seed);

/// The same steps for what counts messages instead of bytes: each as often as its share of the bytes, at an even
/// distance over the whole. A step's bytes are the most that one rank sends or receives in it. Steps with equal bytes
/// stand once each; otherwise there are as many as before, and at least 100, and a step that has nearly no bytes may be
/// missing.
[[nodiscard]] std::unique_ptr<StepSequence> weighted_by_bytes(std::shared_ptr<const StepSequence> steps);

/// A pattern file: one message a line, "FROM TO [BYTES]"; a blank line ends the step; '#' starts a comment.
/// A message without a size has 1 byte in its step, and in schedule_of_pattern() the size given there.
/// Errors name file and line: a rank that is not a number or not below `ranks`, sizes that are not positive numbers, no
/// message at all.
[[nodiscard]] Result<std::unique_ptr<StepSequence>> parse_pattern(std::string_view text, std::string_view file,
                                                                  Rank ranks);

/// A file that parse_pattern() reads as these steps, as long as none of them is without messages.
void write_pattern(const StepSequence& steps, const Sink& sink);

}  // namespace ayatori
