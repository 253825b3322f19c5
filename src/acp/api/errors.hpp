#pragma once
/// \file
/// Converts errors to errno and a message of the calling thread (acp.h, Errors).

#include <cerrno>
#include <exception>
#include <string_view>

#include "ayatori/base/error.hpp"

namespace ayatori::acp {

/// Sets errno and this thread's message.
void refuse(int code, std::string_view message);
void refuse(const Error& error);

[[nodiscard]] const char* last_message();

/// Runs the body of a C function; no exception leaves it.
template <typename Value, typename Body>
Value guarded(Value failed, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& problem) {
    refuse(ENOMEM, problem.what());
    return failed;
  }
}

}  // namespace ayatori::acp
