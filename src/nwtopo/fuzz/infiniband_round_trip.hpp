#pragma once
/// \file
/// What every network that a parser accepted must stand: writing and reading it back gives the same one.

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "../sources/infiniband/network_text_fixtures.hpp"
#include "ayatori/infiniband/infiniband.hpp"

namespace ayatori {

inline std::string written(const Network& network) {
  std::string text;
  write_ibnetdiscover(network, [&](std::string_view piece) { text += piece; });
  return text;
}

inline void check_round_trip(const Network& network) {
  const auto again = parse_ibnetdiscover(written(network), "written", "");
  if (!again) {
    fmt::print(stderr, "can't read back: {}\n{}\n", again.error().message, written(network));
    std::abort();
  }
  if (network_text(*again) != network_text(network)) {
    fmt::print(stderr, "differs:\n{}\nfrom:\n{}\n", network_text(*again), network_text(network));
    std::abort();
  }
}

}  // namespace ayatori
