#pragma once
/// \file
/// Sends one number from rank 0 to all others, through the launcher.

#include <cstdint>
#include <optional>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::launch {

/// The key under which the launcher keeps the number.
constexpr const char* name_of_number = "ayatori-job-key";

/// Over PMI-1's text protocol (`descriptor` is PMI_FD): lines "cmd=NAME key=value …\n". All ranks call it. Error: the
/// launcher does not answer as the protocol demands.
[[nodiscard]] Result<std::uint64_t> share_over_pmi(int descriptor, Rank rank, std::uint64_t number);

struct OverPmix {
  std::uint64_t number = 0;
  std::optional<std::uint32_t> hosts;  ///< that have processes of the job, if the launcher reports them
};

/// Over PMIx. Nothing if the library was built without PMIx, or if libpmix.so.2 or the PMIx server is missing.
[[nodiscard]] std::optional<OverPmix> share_over_pmix(Rank rank, std::uint64_t number);

}  // namespace ayatori::launch
