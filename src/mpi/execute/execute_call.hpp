#pragma once
/// \file
/// The calls that the program `execute` takes on its command line, or in the lines of a file. execute.cpp lists the
/// keys.

#include <span>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {

struct ExecuteCall {
  CollectiveCall call;
  std::string algorithm;
  Placement placement;
  AlgorithmOptions options;
  bool check = false;
  std::uint32_t repeats = 1;  ///< executions that are timed; the median counts
  std::uint32_t pace_ns = 0;  ///< of messages of one byte while executes count; 0: any
};

/// COLLECTIVE ALGORITHM BYTES [key=value …], for a job of `ranks` ranks. Errors: what is missing, not a number or not
/// known; placement of another number of ranks.
[[nodiscard]] Result<ExecuteCall> parse_execute_call(std::span<const std::string_view> words, Rank ranks);

}  // namespace ayatori
