#include "ayatori/network/host_name.hpp"

namespace ayatori {

std::string folded_host_name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string short_host_name(std::string_view name) {
  const bool is_address = name.find_first_not_of("0123456789.") == std::string_view::npos;
  return folded_host_name(is_address ? name : name.substr(0, name.find('.')));
}

}  // namespace ayatori
