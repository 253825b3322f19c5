#include "errors.hpp"

#include <algorithm>
#include <array>

namespace ayatori::acp {

namespace {

thread_local std::array<char, 512> message_of_thread{};

void append(std::string& line, const std::string& part) {
  if (!part.empty()) line.append(": ").append(part);
}

}  // namespace

void refuse(int code, std::string_view message) {
  const std::size_t length = std::min(message.size(), message_of_thread.size() - 1);
  *std::copy_n(message.begin(), length, message_of_thread.begin()) = '\0';
  errno = code;
}

void refuse(const Error& error) {
  std::string line = error.message;
  append(line, error.cause);
  append(line, error.hint);
  refuse(error.code != 0 ? error.code : error.blame == Error::Blame::us ? EIO : EINVAL, line);
}

const char* last_message() { return message_of_thread.data(); }

}  // namespace ayatori::acp
