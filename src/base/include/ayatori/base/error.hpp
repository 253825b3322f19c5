#pragma once
/// \file
/// Errors as values: the core never throws, prints or aborts. The CLI, the C interfaces and Python convert them to exit
/// codes, errno and exceptions.

#include <fmt/core.h>

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace ayatori {

/// What failed, why, and what would work instead: three lines for people.
struct Error {
  enum class Blame {
    user,  ///< invalid input; the CLI exits with 1
    us,    ///< internal error: a defect, or a resource of the system that failed; the CLI exits with 70
  };

  std::string message;  ///< one line: what can't be done, naming file and line where there is one
  std::string cause;    ///< one line, may be empty: why
  std::string hint;     ///< one line, may be empty: what would work instead
  Blame blame = Blame::user;
  int code = 0;  ///< the system's number of the error (errno) where the system refused; 0 otherwise
};

template <typename T = void>
using Result = std::expected<T, Error>;
using Failure = std::unexpected<Error>;

[[nodiscard]] Failure fail_formatted(fmt::string_view format, fmt::format_args arguments);

/// `return fail("no host named '{}'", name);`
template <typename... Args>
[[nodiscard]] Failure fail(fmt::format_string<Args...> format, Args&&... args) {
  return fail_formatted(format, fmt::make_format_args(args...));
}

/// Invalid input in a file: "FILE:LINE: what". Lines count from 1; 0: the whole file.
[[nodiscard]] Failure fail_at(std::string_view file, std::size_t line, std::string what);

/// The same failure with a hint: `return with_hint(fail("…"), "try …");`
[[nodiscard]] Failure with_hint(Failure failure, std::string hint);
[[nodiscard]] Failure with_code(Failure failure, int code);
[[nodiscard]] Failure with_cause(Failure failure, std::string cause);

}  // namespace ayatori
