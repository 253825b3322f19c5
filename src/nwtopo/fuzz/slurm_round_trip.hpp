#pragma once
/// \file
/// What every topology that a parser accepted must stand: what is written of it is read again, and says the same twice.

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "ayatori/slurm/slurm.hpp"

namespace ayatori {

/// Only trees of levels can be written; Slurm allows others too.
inline void check_slurm_round_trip(const Network& network) {
  std::string text;
  if (!write_slurm_conf(network, [&](std::string_view piece) { text += piece; })) return;
  const auto again = parse_slurm_conf(text, "written");
  if (!again || again->machines().size() > network.machines().size()) {
    fmt::print(stderr, "can't read back: {}\n{}\n", again ? "more machines" : again.error().message, text);
    std::abort();
  }
  std::string yaml;
  if (!write_slurm_yaml(network, [&](std::string_view piece) { yaml += piece; })) std::abort();
  const auto also = parse_slurm_yaml(yaml, "written", "");
  if (!also || also->machines().size() != again->machines().size() || also->link_count() != again->link_count()) {
    fmt::print(stderr, "the formats differ: {}\n{}\n{}\n", also ? "" : also.error().message, text, yaml);
    std::abort();
  }
}

}  // namespace ayatori
