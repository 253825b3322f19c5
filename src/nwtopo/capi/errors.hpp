#pragma once
/// \file
/// The border: results and exceptions become -1, NULL or 0 with errno and a line of text, per thread (nwtopo.h,
/// Errors).

#include <fmt/core.h>

#include <exception>
#include <string_view>

#include "ayatori/base/error.hpp"

namespace ayatori::capi {

/// What a C function that failed gives back, whatever its type: -1 for signed numbers, 0 for unsigned ones, NULL.
struct Failed {
  constexpr operator int() const { return -1; }           // NOLINT: to be returned as it is
  constexpr operator long() const { return -1; }          // NOLINT
  constexpr operator unsigned() const { return 0; }       // NOLINT
  constexpr operator unsigned long() const { return 0; }  // NOLINT
  template <typename T>
  constexpr operator T*() const {  // NOLINT
    return nullptr;
  }
};
inline constexpr Failed failed;

/// Sets errno and this thread's message. Allocates nothing: it also reports that memory ran out.
Failed refuse_with(int code, std::string_view message);

Failed refuse_formatted(int code, fmt::string_view format, fmt::format_args args);

/// `return refuse(EINVAL, "no dimension {}", direction);`
template <typename... Args>
Failed refuse(int code, fmt::format_string<Args...> format, Args&&... args) {
  return refuse_formatted(code, format, fmt::make_format_args(args...));
}

/// An Error of the core: its code, or EINVAL for bad input; message, cause and hint on one line.
Failed refuse(const Error& error);

/// What the exception that is being handled says.
Failed refuse_exception();

[[nodiscard]] const char* last_message();

/// Runs the body of a C function; no exception leaves it.
template <typename Body>
auto guarded(Body body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return refuse_exception();
  }
}

}  // namespace ayatori::capi
