#pragma once
/// \file
/// Open MPI's rankfiles, and what they share with hostfiles.

#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/job.hpp"

namespace ayatori::hostfile {

/// Whether the first line that says something is "rank N=…".
[[nodiscard]] bool is_rankfile(std::string_view text);

/// The host of each rank, from rank 0 on, whatever the order of the lines: an entry of one slot each. Which cores a
/// rank is bound to is not read. Errors name file and line: a rank that is missing or listed twice, a host that counts
/// from the first of an allocation ("+n0").
[[nodiscard]] Result<std::vector<HostEntry>> parse_rankfile(std::string_view text, std::string_view file);

/// The text as a message can quote it: the file may be binary.
[[nodiscard]] std::string quoted(std::string_view text);

/// Takes the next word off `rest`; '=' is a word of its own, since Open MPI allows blanks around it.
[[nodiscard]] std::string_view take_word(std::string_view& rest);

}  // namespace ayatori::hostfile
