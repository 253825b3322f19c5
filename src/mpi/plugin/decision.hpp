#pragma once
/// \file
/// Who executes a call: docs/mpi.md says it in a paragraph. All ranks decide alike.

#include <string_view>
#include <vector>

#include "ayatori/tuning/settings.hpp"

namespace ayatori::plugin {

class Communicator;

struct Decision {
  std::vector<ForcedChoice> choices = {};  ///< the first that can be executed; otherwise the MPI's own
  Bytes from = 0;                          ///< the first of the sizes for which a table says so
  std::string_view why = {};               ///< ends in the name of a variable, or needs none
  std::string_view variable = {};
  bool may_be_vetoed = false;
};

/// Of `bytes` as MPI counts. `exact`: the result does not depend on who executes. `blocks`: the call is not one of
/// those that return before their work is done.
[[nodiscard]] Decision decide(const Communicator& on, MpiCall call, Bytes bytes, bool exact, bool blocks);

}  // namespace ayatori::plugin
