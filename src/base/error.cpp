#include "ayatori/base/error.hpp"

#include <utility>

namespace ayatori {

Failure fail_formatted(fmt::string_view format, fmt::format_args arguments) {
  return Failure(Error{fmt::vformat(format, arguments), {}, {}, Error::Blame::user, 0});
}

Failure fail_at(std::string_view file, std::size_t line, std::string what) {
  return line == 0 ? fail("{}: {}", file, what) : fail("{}:{}: {}", file, line, what);
}

Failure with_hint(Failure failure, std::string hint) {
  failure.error().hint = std::move(hint);
  return failure;
}

Failure with_code(Failure failure, int code) {
  failure.error().code = code;
  return failure;
}

Failure with_cause(Failure failure, std::string cause) {
  failure.error().cause = std::move(cause);
  return failure;
}

}  // namespace ayatori
