#include "ayatori/pollable/descriptor.hpp"

#include <unistd.h>

#include <system_error>

namespace ayatori::wires {

Descriptor::~Descriptor() {
  if (open()) close(number_);
}

Failure refused(std::string what, int code) {
  Error error{std::move(what), std::generic_category().message(code), {}, Error::Blame::us, code};
  return Failure(std::move(error));
}

}  // namespace ayatori::wires
