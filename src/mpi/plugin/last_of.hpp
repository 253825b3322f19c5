#pragma once
/// \file
/// What a call makes is where its last argument points: a request, or a communicator.

#include <tuple>

namespace ayatori::plugin {

template <typename... Arguments>
auto last_of(Arguments... arguments) {
  return std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
}

}  // namespace ayatori::plugin
