#pragma once
/// \file
/// A path for each pair of endpoints, for several traffics at once: simulated annealing over the pairs (Kirkpatrick,
/// Gelatt and Vecchi, 1983). All messages from the ranks of one endpoint to those of another take one path: a running
/// program can't tell them apart (plan_in_use/connection_paths.hpp). The price of a path is what its links carry
/// already, in the steps of every traffic in which the pair sends. Of random permutations no step is known, but how
/// often two messages are in one is: if neither their senders nor their receivers are the same, once in n · (n − 1)
/// permutations of n ranks.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "job_paths.hpp"

namespace ayatori {

/// Steps that paths are searched for, and how much they count.
struct WeighedSteps {
  const StepSequence& steps;
  double weight = 1;
};

struct TrafficWeights {
  std::vector<WeighedSteps> known;
  double permutations = 1;  ///< the weight of random permutations
  /// By port: how many messages of other jobs the link has at a moment; empty if there are none.
  std::vector<double> of_others;
};

/// A job and the routes that its messages can take.
struct JobOnPaths {
  const Network& network;
  const JobEndpoints& endpoints;
  const JobPaths& paths;
  const LinkWeights& weights;
};

/// What the search makes less, for n ranks on e endpoints. Of a known traffic: weight · (n − 1) times the mean over its
/// steps of the sum over the links of Σ max(0, i · w − ideal), i = 1 … load, with the link's weight w and ideal of
/// contention.hpp. Of random permutations: weight · e / n² times the sum over the links of w times the number of pairs
/// of messages, one from each rank to each, with other sending and other receiving endpoints. A message on a link with
/// m messages of other jobs, at most one, costs 2 · m · w times the weight more: it waits for theirs, or theirs for it.
[[nodiscard]] double price_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics, const Plan& plan);

/// Path bits by pair of ranks, as Plan::per_pair() takes them, found from those of `start` on. Deterministic until
/// `control` stops it; then it returns what it has, which may be worse than `start`.
[[nodiscard]] Plan paths_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics, const Plan& start,
                                      const SearchControl& control);

/// Whether the tables of the search fit into a usual memory.
[[nodiscard]] bool can_be_searched_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics);

}  // namespace ayatori
