#include "errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "ayatori/base/printable.hpp"
#include "nwtopo.h"

namespace ayatori::capi {

namespace {

constexpr std::size_t longest_message = 1023;
thread_local std::array<char, longest_message + 1> message_of_thread{};

void append(std::string& line, const std::string& part) {
  if (!part.empty()) line.append(line.empty() ? "" : ": ").append(part);
}

}  // namespace

Failed refuse_with(int code, std::string_view message) {
  const std::size_t length = std::min(message.size(), longest_message);
  const auto end = std::copy_n(message.begin(), length, message_of_thread.begin());
  std::replace(message_of_thread.begin(), end, '\n', ' ');
  *end = '\0';
  errno = code;
  return failed;
}

Failed refuse_formatted(int code, fmt::string_view format, fmt::format_args args) {
  fmt::basic_memory_buffer<char, 256> text;
  fmt::vformat_to(fmt::appender(text), format, args);
  return refuse_with(code, {text.data(), text.size()});
}

Failed refuse(const Error& error) {
  std::string line = error.message;
  append(line, error.cause);
  append(line, error.hint);
  line = printable(line);
  if (error.code != 0) return refuse_with(error.code, line);
  return refuse_with(error.blame == Error::Blame::us ? EIO : EINVAL, line);
}

Failed refuse_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return refuse_with(ENOMEM, "out of memory");
  } catch (const std::length_error&) {
    return refuse_with(ENOMEM, "out of memory: more than an array can hold");
  } catch (const std::exception& exception) {
    return refuse_with(EIO, exception.what());
  } catch (...) {
    return refuse_with(EIO, "an unknown exception");
  }
}

const char* last_message() { return message_of_thread.data(); }

}  // namespace ayatori::capi

extern "C" const char* nwtopo_error_message(void) { return ayatori::capi::last_message(); }
