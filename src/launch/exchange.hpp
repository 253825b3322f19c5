#pragma once
/// \file
/// One number that rank 0 tells all others, through the launcher.

#include <cstdint>
#include <optional>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::launch {

/// Over PMI-1's text protocol (`descriptor` is PMI_FD): lines "cmd=NAME key=value …\n". All ranks call it. Errors: the
/// launcher does not answer as it should.
[[nodiscard]] Result<std::uint64_t> share_over_pmi(int descriptor, Rank rank, std::uint64_t number);

/// Over PMIx. Nothing if this is not built with it, libpmix.so.2 is not there, or its server is not.
[[nodiscard]] std::optional<std::uint64_t> share_over_pmix(Rank rank, std::uint64_t number);

}  // namespace ayatori::launch
