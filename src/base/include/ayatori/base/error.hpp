#pragma once
/// \file
/// Errors as values: the core never throws, prints or aborts. The CLI, the C interfaces and Python turn them into what
/// their users expect.

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace ayatori {

struct Error {
  enum class Blame {
    user,  ///< the input can't be used; the CLI exits with 1
    us,    ///< a defect of ours, or a resource of the system that failed; the CLI exits with 70
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

/// `return fail("no host named '{}'", name);`
template <typename... Args>
[[nodiscard]] Failure fail(fmt::format_string<Args...> format, Args&&... args) {
  return Failure(Error{fmt::format(format, std::forward<Args>(args)...), {}, {}, Error::Blame::user, 0});
}

/// A defect in an input file: "FILE:LINE: what". Lines count from 1; 0 speaks of the whole file.
[[nodiscard]] inline Failure fail_at(std::string_view file, std::size_t line, std::string what) {
  return line == 0 ? fail("{}: {}", file, what) : fail("{}:{}: {}", file, line, what);
}

/// The same failure with a hint: `return with_hint(fail("…"), "try …");`
[[nodiscard]] inline Failure with_hint(Failure failure, std::string hint) {
  failure.error().hint = std::move(hint);
  return failure;
}

[[nodiscard]] inline Failure with_code(Failure failure, int code) {
  failure.error().code = code;
  return failure;
}

[[nodiscard]] inline Failure with_cause(Failure failure, std::string cause) {
  failure.error().cause = std::move(cause);
  return failure;
}

}  // namespace ayatori
