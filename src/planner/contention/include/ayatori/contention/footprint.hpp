#pragma once
/// \file
/// The footprint of a job: the directed links that its messages use, whatever step it is in. Two jobs whose footprints
/// have no link in common never delay each other; they are *isolated*.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Of jobs with more steps than this a footprint only says in how many of them a link is used, not in which.
inline constexpr std::uint64_t max_listed_steps = 64;

/// What a job does with one directed link.
struct LinkUse {
  PortId link = no_id;
  std::uint64_t steps = 0;       ///< steps in which it carries messages of the job; at least 1
  std::uint32_t worst_load = 0;  ///< messages of the job in the step that has most of them on it
  std::uint64_t in_steps = 0;  ///< bit s: in step s; 0 if the job has more than max_listed_steps, or if it is not known

  friend bool operator==(const LinkUse&, const LinkUse&) = default;
};

struct Footprint {
  std::uint64_t steps = 0;     ///< steps of the job, also those without a message
  std::vector<LinkUse> links;  ///< by link id, each once; the cables of the job's endpoints, too

  /// How often a link is in use: the share of steps, from 0 to 1.
  [[nodiscard]] double share(const LinkUse& use) const {
    return steps == 0 ? 0 : static_cast<double>(use.steps) / static_cast<double>(steps);
  }
  /// Does each link say in which steps it is used?
  [[nodiscard]] bool lists_steps() const {
    return std::ranges::all_of(links, [](const LinkUse& use) { return use.in_steps != 0; });
  }
};

/// Follows all messages of a job. `endpoints` has the port of each rank, `plan` the path of each message. Messages
/// within a machine use no link. On all cores, and the same on any number of threads. Errors: a plan or steps
/// for another number of ranks; an endpoint without a cable; a message that does not arrive.
[[nodiscard]] Result<Footprint> footprint_of(const Network& network, const Routes& routes,
                                             std::span<const PortId> endpoints, const Plan& plan,
                                             const StepSequence& steps);

/// A link that two jobs use.
struct SharedLink {
  PortId link = no_id;
  std::uint32_t first = 0;   ///< number of a job
  std::uint32_t second = 0;  ///< number of another, larger than `first`
  /// The probability that both use the link at one moment, each in a step drawn at random: the product of their shares.
  double conflict_probability = 0;
};

/// The links that several of these footprints have in common, one entry per pair of jobs: the likeliest conflict first,
/// then by link and jobs.
[[nodiscard]] std::vector<SharedLink> shared_links(std::span<const Footprint> footprints);

}  // namespace ayatori
