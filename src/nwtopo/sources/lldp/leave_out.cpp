#include "leave_out.hpp"

#include <algorithm>

#include "devices.hpp"

namespace ayatori {

namespace {

/// '*' in the pattern stands for any letters. After a mismatch the last '*' takes one letter more.
bool is_called(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

Result<> leave_out(std::string_view name, std::vector<LldpReport>& reports) {
  const auto device_is_called = [&](std::string_view device) {
    return is_called(name, device) || is_called(name, name_without_domain(device));
  };
  const auto leaves = [&](const LldpNeighbour& neighbour) {
    return device_is_called(neighbour.name) || is_called(name, neighbour.interface) || is_called(name, neighbour.port);
  };
  std::size_t found = std::erase_if(reports, [&](const LldpReport& report) { return device_is_called(report.device); });
  for (LldpReport& report : reports) found += std::erase_if(report.neighbours, leaves);
  if (found == 0) return fail("no device and no interface is called '{}'", name);
  return {};
}

}  // namespace ayatori
