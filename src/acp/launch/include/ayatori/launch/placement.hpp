#pragma once
/// \file
/// The rank of this process, the ranks of its host, and the secret of its job, as its launcher gives them.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/secret/job_secret.hpp"

namespace ayatori::launch {

struct Placement {
  Rank rank = 0;
  Rank procs = 1;
  Rank first_on_host = 0;  ///< the lowest rank of this host; the others follow, unless they are scattered
  std::uint32_t ranks_on_host = 1;
  std::vector<Rank> scattered;      ///< the ranks of this host in ascending order, if they do not follow each other
  std::optional<JobSecret> secret;  ///< none: the launcher could not pass one on
  std::uint64_t job_key = 0;        ///< the same in all processes of the job, and in no other job; not secret
  std::string launcher;             ///< its name: "Open MPI", …

  [[nodiscard]] bool on_one_host() const { return ranks_on_host == procs; }
  [[nodiscard]] bool is_near(Rank other) const {
    if (!scattered.empty()) return std::ranges::binary_search(scattered, other);
    return other - first_on_host < ranks_on_host;
  }
};

/// An error if ranks do not fill host after host.
[[nodiscard]] Result<> check_in_order(const Placement& placement);

/// Sets the secret, and the key that follows from it.
void set_secret(Placement& placement, const JobSecret& secret);

/// The value of a variable of the environment, or nullptr.
using Environment = std::function<const char*(const char*)>;

}  // namespace ayatori::launch
