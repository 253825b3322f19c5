#pragma once
/// \file
/// A host of the job that an artefact was made for.

#include <cstdint>
#include <string>

namespace ayatori {

struct JobHost {
  std::string host;         ///< as the network names it
  std::uint32_t ranks = 1;  ///< how many ranks it has; the first host has ranks 0 … ranks − 1, and so on

  friend bool operator==(const JobHost&, const JobHost&) = default;
};

}  // namespace ayatori
