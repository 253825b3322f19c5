#include "ayatori/artefacts/job_host.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// The part before the first dot, in small letters. An address has none: 10.0.0.1 and 10.0.0.2 are not the same host.
std::string short_host(std::string_view name) {
  const bool is_address = name.find_first_not_of("0123456789.") == std::string_view::npos;
  std::string lower(is_address ? name : name.substr(0, name.find('.')));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace

bool is_same_host(std::string_view a, std::string_view b) { return short_host(a) == short_host(b); }

bool names_own_host(std::string_view name) { return name == "127.0.0.1" || short_host(name) == "localhost"; }

}  // namespace ayatori
