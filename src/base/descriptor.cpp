#include "ayatori/base/descriptor.hpp"

#include <unistd.h>

#include <system_error>

namespace ayatori {

Descriptor::~Descriptor() {
  if (is_open()) close();
}

int Descriptor::close() { return ::close(std::exchange(number_, -1)); }

Failure refused(std::string what, int code) {
  Error error{std::move(what), std::generic_category().message(code), {}, Error::Blame::us, code};
  return Failure(std::move(error));
}

}  // namespace ayatori
