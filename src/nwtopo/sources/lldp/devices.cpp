#include "devices.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ayatori {

namespace {

std::set<std::string> all_names(const std::vector<LldpReport>& reports) {
  std::set<std::string> names;
  for (const LldpReport& report : reports) {
    names.insert(report.device);
    for (const LldpNeighbour& neighbour : report.neighbours) names.insert(neighbour.name);
  }
  return names;
}

}  // namespace

std::string_view name_without_domain(std::string_view name) {
  const bool is_address = name.find_first_not_of("0123456789.:abcdefABCDEF") == std::string_view::npos;
  return is_address ? name : name.substr(0, name.find('.'));
}

Result<LldpDevices> LldpDevices::of(const std::vector<LldpReport>& reports) {
  LldpDevices devices;
  if (auto added = devices.add_names(reports); !added) return Failure(added.error());
  for (const LldpReport& report : reports) {
    if (auto added = devices.add_report(report); !added) return Failure(added.error());
  }
  return devices;
}

Result<> LldpDevices::add_names(const std::vector<LldpReport>& reports) {
  const std::set<std::string> names = all_names(reports);
  std::map<std::string_view, const std::string*> long_names;  // by short name
  for (const std::string& name : names) {
    const std::string_view without_domain = name_without_domain(name);
    if (without_domain.size() == name.size()) continue;
    const auto [other, is_new] = long_names.try_emplace(without_domain, &name);
    if (!is_new && names.contains(std::string(without_domain))) {
      return fail("'{}' matches both '{}' and '{}'", without_domain, *other->second, name);
    }
  }
  for (const std::string& name : names) {
    const auto long_name = long_names.find(name);
    const bool has_long_name = long_name != long_names.end();
    const auto [index, is_new] = by_name_.try_emplace(has_long_name ? *long_name->second : name, devices_.size());
    by_name_.try_emplace(name, index->second);
    if (is_new) devices_.push_back({name, nullptr, false, {}});
  }
  return {};
}

Result<> LldpDevices::add_report(const LldpReport& report) {
  const std::size_t here = index(report.device);
  LldpDevice& device = devices_[here];
  if (device.report != nullptr) {
    return fail("'{}' reported twice: in {} and as '{}' in {}", device.name, device.report->file, report.device,
                report.file);
  }
  device.report = &report;
  device.name = report.device;
  for (const LldpNeighbour& neighbour : report.neighbours) {
    const std::size_t there = index(neighbour.name);
    devices_[there].forwards |= neighbour.forwards;
    devices_[here].neighbours.insert(there);
    devices_[there].neighbours.insert(here);
  }
  return {};
}

bool LldpDevices::is_router(std::size_t index) const {
  const LldpDevice& device = devices_[index];
  if (device.report == nullptr) return device.forwards;
  if (device.report->role != LldpRole::unknown) return device.report->role == LldpRole::router;
  return device.forwards && device.neighbours.size() > 1;
}

}  // namespace ayatori
