#pragma once
/// \file
/// Variables of the environment. Nobody else reads it.

#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "ayatori/joining/job.hpp"

namespace ayatori::acp {

/// Finds the launcher of this process, which knows its rank, the number of processes and the secret.
[[nodiscard]] Result<std::unique_ptr<launch::Launcher>> read_launcher();

/// Reads ACP_WIRES, ACP_TIMEOUT, ACP_NETWORK and ACP_TAGS. Error: a value that is none.
[[nodiscard]] Result<> read_job_setup(JobSetup& setup);

/// The index in `names` of the value of a variable; 0 if it is not set.
[[nodiscard]] Result<std::size_t> choice(const char* variable, std::initializer_list<std::string_view> names);

/// Nothing if it is not set.
[[nodiscard]] std::optional<std::string_view> value_of(const char* variable);

template <typename Number>
Result<Number> positive(const char* variable, Number otherwise) {
  const auto text = value_of(variable);
  if (!text) return otherwise;
  const std::string_view digits = *text;
  Number value = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (bad == std::errc{} && end == digits.data() + digits.size() && value > 0) return value;
  return fail("{} is '{}'; it must be a number above 0", variable, digits);
}

}  // namespace ayatori::acp
