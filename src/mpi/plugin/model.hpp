#pragma once
/// \file
/// What messages cost in this job: as a calibration says (AYATORI_CALIBRATION), else as assumed by the rate of the
/// links. It decides which algorithms are worth a trial.

#include "process.hpp"

namespace ayatori::plugin {

/// After find_nodes() and add_topology(); collective. Process 0 reads the calibration, and all others take its text.
/// One that can't be read, or was measured with other processors, is reported and ignored; nor is what one says between
/// machines if this network's NICs don't carry it.
void take_model(Process& process);

/// At most three algorithms that are worth a trial for this call, the same on all ranks of `comm`, of which `rank` is
/// this process. Rank 0 asks the model and broadcasts the answer.
[[nodiscard]] std::vector<ForcedChoice> worth_a_trial(MpiCall call, Bytes bytes, const Placement& placement,
                                                      MPI_Comm comm, Rank rank);

}  // namespace ayatori::plugin
