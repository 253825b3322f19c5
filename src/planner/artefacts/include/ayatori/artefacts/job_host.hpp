#pragma once
/// \file
/// The hosts of the job that an artefact was made for.

#include <cstdint>
#include <string>
#include <string_view>

namespace ayatori {

/// Ranks that follow each other on one host. The first of a list has ranks 0 … ranks − 1, and so on; a host may come
/// again, as in cyclic placements.
struct JobHost {
  std::string host;  ///< as the network names it
  std::uint32_t ranks = 1;

  friend bool operator==(const JobHost&, const JobHost&) = default;
};

/// Whether two names mean the same host, by the rule by which place_job() finds a host in a network: letters may be
/// small or capital, and what follows the first dot does not count.
[[nodiscard]] bool is_same_host(std::string_view a, std::string_view b);

/// "localhost" and its like, which every host calls itself.
[[nodiscard]] bool names_own_host(std::string_view name);

}  // namespace ayatori
