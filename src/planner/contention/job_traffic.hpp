#pragma once
/// \file
/// The messages of a job on its network, and what is said of one that does not arrive.

#include <span>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct JobTraffic {
  const Network& network;
  const Routes& routes;
  std::span<const PortId> endpoints;  ///< the port of each rank
  const Plan& plan;
  const StepSequence& steps;
};

/// Errors: a plan or steps for another number of ranks; an endpoint without a cable.
[[nodiscard]] Result<JobEndpoints> endpoints_of(const JobTraffic& job);

/// Why a message of the job does not arrive: names source, destination and LID.
[[nodiscard]] Failure not_arriving(const JobTraffic& job, const Message& message);

}  // namespace ayatori
